/** Faults planted in real processes: the whole harness has to find them, and no others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importScenario } from '../../bench/harness/scenarios.js';
import { runScenarios } from '../../bench/harness/run.js';

/** @param {string} name @param {number} runs */
async function compare(name, runs) {
  const scenario = await importScenario(new URL(`planted/${name}.js`, import.meta.url).href);
  const { comparisons, failures, rows } = await runScenarios([scenario], { runs, seed: 5 });
  assert.deepEqual(failures, []);
  const [same, planted] = comparisons;
  const told = `${JSON.stringify(comparisons)} of ${JSON.stringify(rows.map(({ samples }) => samples))}`;
  return { same, planted, rows, told };
}

test('a planted slowdown of 10 % is found', async () => {
  const { same, planted, told } = await compare('slow', 40);
  assert.equal(planted.significant, true, told);
  assert.ok(planted.ratio > 1.04 && planted.ratio < 1.2, told);
  assert.ok(Math.abs(same.ratio - 1) < 0.07, told);
});

test('a planted leak of 1 MB a worker is found, with its size', async () => {
  const { same, planted, rows, told } = await compare('leak', 10);
  assert.equal(planted.significant, true, told);
  assert.equal(same.significant, false, told);
  const [tight, , leaky] = rows.map(({ median }) => median);
  assert.ok(Math.abs(leaky - tight - 2048) < 512, told);
});
