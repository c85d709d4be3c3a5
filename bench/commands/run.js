import { loadScenario, scenarioNames } from '../harness/scenarios.js';
import { MAX_RUNS, RUNS, RUNS_QUICK } from '../harness/run.js';
import { ENGINE_NAMES, OPTIONS, measure } from './common/measure.js';
import { usage } from './common/usage.js';

export const help = `pitv bench run <scenario>... [options]
    measures and prints tables; Ctrl-C ends the run and keeps its samples
    --quick           a first look: ${RUNS_QUICK} shorter runs instead of ${RUNS}, without a warm-up round
    --runs N          samples of each configuration, 1..${MAX_RUNS}, each in a fresh process; default ${RUNS}
    --engines A,B     only these engines: ${ENGINE_NAMES.join(', ')}
    --workers 1,2,4   only these numbers of workers, each 0..64; 0 for scenarios that measure it
    --levels A,B      only these levels, such as off, mark, seeds, identical of KSM
    --nodes 20,24,26  each configuration in these versions of Node.js, in turn, which bench/harness/runtimes.js finds
    --seed N          seed of the random order, 0..4294967295; default: the clock
    --json FILE       writes all results, with every sample
    --out DIR         folder for results.json, report.txt and temporary files
    --publish NAME    stores the samples as bench/results/NAME.json.gz, with commit and command
`;

export const options = OPTIONS;
export const operands = [0, Infinity];

/** @param {Record<string, any>} values @param {string[]} names */
export async function run(values, names) {
  if (names.length === 0) {
    throw usage(`Name one or more scenarios: ${scenarioNames().join(', ')}.`);
  }
  const scenarios = await Promise.all([...new Set(names)].map(loadScenario));
  return measure(scenarios, values);
}
