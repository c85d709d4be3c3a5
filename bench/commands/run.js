import { ENGINES } from '../../app/engine/index.js';
import { loadScenario, scenarioNames } from '../harness/scenarios.js';
import { formatResults } from '../report/terminal.js';
import { RUNS, RUNS_QUICK } from '../harness/run.js';
import { OPTIONS, measure, settingsOf, tryFiles, writeFiles } from './common/measure.js';
import { usage } from './common/usage.js';

export const help = `pitv bench run <scenario>... [options]
    measures, prints tables; Ctrl-C ends it with what was measured until then
    --quick           fewer and shorter runs: ${RUNS_QUICK} instead of ${RUNS}, for a first look
    --runs N          samples of each, 1..1000, each in a fresh process; default ${RUNS}
    --engines A,B     only these: ${ENGINES.join(', ')}
    --workers 1,2,4   only these numbers of workers, each 1..64
    --levels A,B      of KSM only these: mark, seeds, identical; off: none
    --seed N          of the order in which they are taken, 0..4294967295; default: the clock
    --json FILE       everything that was measured
    --csv FILE        every sample, one a line
    --html FILE       a page with tables and plots, which needs no network
`;

export const options = OPTIONS;

/** @param {Record<string, any>} values @param {string[]} names */
export async function run(values, names) {
  if (names.length === 0) {
    throw usage(`Name one or more scenarios: ${scenarioNames().join(', ')}.`);
  }
  const settings = settingsOf(values);
  const scenarios = await Promise.all([...new Set(names)].map(loadScenario));
  tryFiles(values);
  const results = await measure(scenarios, settings);
  if (results.rows.length === 0 && results.failures.length === 0 && results.complete) {
    throw usage('With these --engines, --workers and --levels nothing is left to measure.');
  }
  await writeFiles(results, values); // before anything is printed: the terminal may be gone
  process.stdout.write(formatResults(results));
  return results.complete && results.failures.length === 0 ? 0 : 1;
}
