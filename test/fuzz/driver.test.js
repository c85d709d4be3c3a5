/** Fuzzes targets with planted failures: each kind of failure is found. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { PARENT, explain, leakOf, run } from './driver.js';

const SEED = 5;

/** @param {string} name of a failure in planted.js @param {Partial<import('./run-target.js').Options>} [options] */
function fuzz(name, options) {
  process.env.PITV_PLANTED = name;
  const file = fileURLToPath(new URL('planted.js', import.meta.url));
  return run({ name, file }, { seed: SEED, runs: Infinity, seconds: 300, ...options });
}

test('a failure is shrunk, and the printed seed and path repeat it', async () => {
  const report = await fuzz('throws');
  assert.equal(report.failure?.input, '[500]');
  const { seed, at } = /** @type {import('./run-target.js').Failure} */ (report.failure);
  assert.match(explain(report), new RegExp(`make fuzz TARGET=throws SEED=${seed} AT=${at}$`));
  const again = await fuzz('throws', { seed, at });
  assert.equal(again.failure?.input, '[500]');
});

test('an uncaught error is a failure', async () => {
  const { failure } = await fuzz('stray');
  assert.equal(failure?.input, '[7]');
  assert.match(String(failure?.message), /nobody catches this/);
});

test('the death of the process is a failure, and its temporary files are removed', async () => {
  const { failure } = await fuzz('dies');
  assert.match(String(failure?.message), /SIGSEGV/);
  const own = readdirSync(PARENT).filter((name) =>
    existsSync(join(PARENT, name, `left-${process.pid}`)),
  );
  assert.deepEqual(own, []);
});

test('growth of descriptors and memory is a leak', async () => {
  const report = await fuzz('leaks', { roundChecks: 12, runs: 100 });
  assert.equal(report.failure, undefined);
  assert.match(leakOf(report), /^\d+ descriptors, \d+ MiB$/);
});
