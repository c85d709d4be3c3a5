/** Known differences between real processes: the harness finds them, and no others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importScenario } from '../../../bench/harness/scenarios.js';
import { runScenarios } from '../../../bench/harness/run.js';

/** @param {string} name of a fixture @param {number} runs */
async function compare(name, runs) {
  const scenario = await importScenario(new URL(`./fixtures/${name}.js`, import.meta.url).href);
  const { comparisons, failures, rows } = await runScenarios([scenario], {
    runs,
    warmUps: 0,
    seed: 5,
  });
  assert.deepEqual(failures, []);
  const [same, different] = comparisons;
  const details = `${JSON.stringify(comparisons)} of ${JSON.stringify(rows.map(({ samples }) => samples))}`;
  return { same, different, rows, details };
}

test('a slowdown of 10 % is found, with its size', async () => {
  const { same, different, details } = await compare('slowdown', 15);
  assert.equal(different.significant, true, details);
  assert.ok(different.ratio > 1.04 && different.ratio < 1.2, details);
  assert.ok(Math.abs(same.ratio - 1) < 0.07, details);
});

test('a leak of 1 MiB per worker is found, with its size', async () => {
  const { same, different, rows, details } = await compare('leak', 6);
  assert.equal(different.significant, true, details);
  assert.equal(same.significant, false, details);
  const [tight, , leaky] = rows.map(({ median }) => median);
  assert.ok(Math.abs(leaky - tight - 2048) < 512, details);
});
