/** Makes results that nobody has measured, and checks results. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { machineFacts, passingFacts } from '../../../bench/machine/facts.js';
import { assemble } from '../../../bench/report/results.js';

const passing = await passingFacts();
const file = new URL('../../../bench/results.schema.json', import.meta.url);
const validate = new Ajv({ allErrors: true, strict: false }).compile(
  JSON.parse(readFileSync(file, 'utf8')),
);

/** Asserts that results match bench/results.schema.json. @param {unknown} results */
export function checkSchema(results) {
  // JSON drops what a file does not hold, such as undefined.
  validate(JSON.parse(JSON.stringify(results)));
  assert.deepEqual(validate.errors, null);
}

/**
 * @typedef {import('../../../bench/harness/scenarios.js').Configuration} Configuration
 * @typedef {import('../../../bench/harness/scenarios.js').Scenario} Scenario
 *
 * @typedef {Pick<Scenario, 'name' | 'title' | 'metrics' | 'reference'> & {configurations: Configuration[],
 *   valueOf: (configuration: Configuration, round: number, metric: string) => number}} Simulated
 */

/**
 * Makes results as if scenarios had been measured. The values of a round are drawn in the order of the configurations.
 * @param {Simulated[]} scenarios
 * @param {{runs?: number, seed?: number, complete?: boolean}} [options]
 * @returns {import('../../../bench/report/results.js').Results}
 */
export function simulateResults(scenarios, { runs = 1, seed = 1, complete = true } = {}) {
  const plans = scenarios.map(({ configurations, valueOf, ...scenario }) => {
    const samples = Array.from({ length: runs }, (_, round) =>
      configurations.map((configuration) => ({
        configuration,
        round,
        facts: {},
        metrics: Object.fromEntries(
          scenario.metrics.map(({ name }) => [name, valueOf(configuration, round, name)]),
        ),
      })),
    ).flat();
    return {
      scenario: {
        ...scenario,
        url: '',
        configurations: () => configurations,
        sample: async () => samples[0],
      },
      configurations,
      samples,
    };
  });
  const results = assemble(plans, {
    pitv: '0.1.0',
    startedAt: '2026-01-01T00:00:00.000Z',
    complete,
    failures: [],
    skipped: [],
    method: { runs, warmUps: 0, quick: false, seed },
    machine: { ...machineFacts(), before: passing, after: passing },
  });
  checkSchema(results);
  return results;
}

/**
 * Makes results of scenarios of this project, with one sample of every metric: 1, 2, 3 and so on.
 * @param {string[]} names of scenarios
 */
export async function makeUpResults(names) {
  let value = 0;
  const scenarios = await Promise.all(names.map(loadScenario));
  return simulateResults(
    scenarios.map(({ name, title, metrics, reference, configurations }) => ({
      name,
      title,
      metrics,
      reference,
      configurations: configurations({ quick: false, workers: [1, 4] }),
      valueOf: () => ++value,
    })),
  );
}
