import assert from 'node:assert/strict';
import { importScenario } from '../../../bench/harness/scenarios.js';
import { runScenarios } from '../../../bench/harness/run.js';

/**
 * Runs a scenario of fixtures/, short as with `--quick`.
 * @param {string} name
 * @param {{runs: number, seed?: number}} options
 * @returns its comparisons with the reference and its rows; details: both, for the message of an assertion
 */
export async function compareFixture(name, { runs, seed = 5 }) {
  const scenario = await importScenario(new URL(`./fixtures/${name}.js`, import.meta.url).href);
  const options = { runs, seed, quick: true };
  const { comparisons, failures, skipped, rows } = await runScenarios([scenario], options);
  assert.deepEqual([...failures, ...skipped], []);
  const details = `${JSON.stringify(comparisons)} of ${JSON.stringify(rows.map(({ samples }) => samples))}`;
  return { comparisons, rows, details };
}
