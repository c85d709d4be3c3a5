import { loadScenario } from '../harness/scenarios.js';
import { PAPER_SCENARIOS, formatAnswers } from '../report/paper.js';
import { formatResults } from '../report/terminal.js';
import { OPTIONS, measure } from './common/measure.js';

export const help = `pitv bench paper [options]
    repeats the experiments (${PAPER_SCENARIOS.join(', ')}) of Kim, Hong and Shin (2013) and compares the
    results with the figures of their paper; accepts the options of run
`;

export const options = OPTIONS;

/** @param {Record<string, any>} values */
export async function run(values) {
  const scenarios = await Promise.all(PAPER_SCENARIOS.map(loadScenario));
  return measure(scenarios, values, (results) => {
    return `${formatAnswers(results)}${formatResults(results)}`;
  });
}
