/** A real scenario: the harness finds a planted slowdown, and no difference where there is none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runScenarios } from '../../../bench/harness/run.js';
import { importScenario } from '../../../bench/harness/scenarios.js';

/** Enough for machines with much other work, which adds 10 % of noise to a short sample. */
const ROUNDS = 45;
/** Percent. A slowdown of 10 % is found in 999 of 1000 runs if one of 6 % is found in 80 of 100. */
const NEEDED = 6;
const FIXTURE = new URL('./fixtures/slowdown.js', import.meta.url).href;

test('a slowdown of 10 % of the scenario collision is found, with its size', async (t) => {
  const options = { runs: ROUNDS, seed: 5, quick: true };
  const results = await runScenarios([await importScenario(FIXTURE)], options);
  const { comparisons, failures, skipped, rows } = results;
  assert.deepEqual([...failures, ...skipped], []);
  const details = JSON.stringify([comparisons, rows.map(({ samples }) => samples)]);
  const [same, slower] = comparisons;
  const detectable = Number(slower.detectable);
  if (!slower.significant && detectable > NEEDED) {
    return t.skip(`the speed of this machine changes: detectable from ${detectable.toFixed()} %`);
  }
  assert.equal(slower.significant, true, details);
  assert.ok(slower.ratio > 1.04 && slower.ratio < 1.2, details);
  assert.equal(same.significant, false, details);
});
