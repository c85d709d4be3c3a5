import { runSample } from '../../../bench/harness/run-sample.js';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { temporaryFolder } from '../../support/tv.js';

/**
 * Takes a sample of a scenario, short as with `--quick`.
 * @param {string} name of the scenario
 * @param {import('../../../bench/harness/scenarios.js').Configuration} configuration
 */
export async function takeSample(name, configuration) {
  const context = { round: 0, quick: true, workDir: temporaryFolder() };
  return runSample(await loadScenario(name), configuration, context);
}
