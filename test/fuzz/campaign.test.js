/** Fuzzes targets that break in known ways: every kind of failure is found. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { explain, leakOf, run } from './campaign.js';

const SEED = 5;

/** @param {string} name of a file in planted/ @param {Partial<import('./campaign.js').Options>} [options] */
const fuzz = (name, options) =>
  run(
    { name, file: fileURLToPath(new URL(`planted/${name}.js`, import.meta.url)) },
    { seed: SEED, runs: Infinity, seconds: 2.5, ...options },
  );

test('a failure is shrunk, and the printed seed and path repeat it', async () => {
  const report = await fuzz('throws');
  assert.equal(report.failure?.input, '[500]');
  const { seed, at } = /** @type {import('./support/target.js').Failure} */ (report.failure);
  assert.match(explain(report), new RegExp(`make fuzz TARGET=throws SEED=${seed} AT=${at}$`));
  const again = await fuzz('throws', { seed, at });
  assert.equal(again.failure?.input, '[500]');
});

test('an error that no check caught is a failure', async () => {
  const { failure } = await fuzz('stray');
  assert.equal(failure?.input, '[7]');
  assert.match(String(failure?.message), /nobody catches this/);
});

test('the death of the process is a failure', async () => {
  const { failure } = await fuzz('dies');
  assert.match(String(failure?.message), /SIGSEGV/);
});

test('growth of descriptors and memory is a leak', async () => {
  const report = await fuzz('leaks', { roundMs: 250 });
  assert.equal(report.failure, undefined);
  assert.match(leakOf(report), /^\d+ descriptors, \d+ MiB$/);
});
