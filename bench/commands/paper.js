import { loadScenario } from '../harness/scenarios.js';
import { PAPER_SCENARIOS, formatAnswers } from '../report/paper.js';
import { formatResults } from '../report/terminal.js';
import { OPTIONS, measure } from './common/measure.js';
import { usage } from './common/usage.js';

export const help = `pitv bench paper [options]
    repeats the experiments (${PAPER_SCENARIOS.join(', ')}) of Kim, Hong and Shin (2013) and compares the
    results with the figures of their paper; accepts the options of run
`;

export const options = OPTIONS;

/** @param {Record<string, any>} values @param {string[]} names @param {string[]} argv */
export async function run(values, names, argv) {
  if (names.length > 0)
    throw usage(`'bench paper' takes no '${names[0]}'; its scenarios are fixed.`);
  const scenarios = await Promise.all(PAPER_SCENARIOS.map(loadScenario));
  return measure(scenarios, values, argv, (results) => {
    return `${formatAnswers(results)}${formatResults(results)}`;
  });
}
