/** Injects a few faults. `make faults` injects more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUSY, describeResult, problemsOf } from './driver.js';
import { runFaults } from './injector.js';

const COUNT = 20;
/** The first faults of this seed are of different kinds, and one ends the main process. */
const SEED = 53;

test(`${COUNT} faults, seed ${SEED}: matches come back, nothing leaks`, async (t) => {
  const result = await runFaults({ count: COUNT, seed: SEED, engine: 'zygote' });
  t.diagnostic(`\n${describeResult(result)}`);
  assert.equal(result.faults.length, COUNT);
  assert.deepEqual(problemsOf(result, BUSY), []); // `make faults` judges times
});
