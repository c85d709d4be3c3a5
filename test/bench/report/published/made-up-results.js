/** Results of scenarios that nobody has measured. */
import { loadScenario } from '../../../../bench/harness/scenarios.js';
import { machineFacts, passingFacts } from '../../../../bench/machine/facts.js';
import { assemble } from '../../../../bench/report/results.js';

/**
 * Makes results with one sample of every metric: 1, 2, 3 and so on.
 * @param {string[]} names of scenarios
 * @returns {Promise<import('../../../../bench/report/results.js').Results>}
 */
export async function makeUpResults(names) {
  let value = 0;
  const plans = await Promise.all(
    names.map(async (name) => {
      const scenario = await loadScenario(name);
      const { title, metrics, reference, url } = scenario;
      const asked = { quick: false, engines: undefined, workers: [1, 4], levels: undefined };
      const configurations = scenario.configurations(asked);
      const samples = configurations.map((configuration) => ({
        configuration,
        round: 0,
        facts: {},
        metrics: Object.fromEntries(metrics.map((metric) => [metric.name, ++value])),
      }));
      const plain = { name, title, metrics, reference, url };
      return {
        scenario: {
          ...plain,
          configurations: () => configurations,
          sample: async () => samples[0],
        },
        configurations,
        samples,
      };
    }),
  );
  const passing = passingFacts();
  return assemble(plans, {
    pitv: '0.1.0',
    startedAt: '2026-01-01T00:00:00.000Z',
    complete: true,
    failures: [],
    skipped: [],
    method: { runs: 1, warmUps: 0, quick: false, seed: 1 },
    machine: { ...machineFacts(), before: passing, after: passing },
  });
}
