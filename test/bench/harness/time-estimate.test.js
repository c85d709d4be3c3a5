import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimeEstimate, estimateSamples } from '../../../bench/harness/time-estimate.js';

const one = { variant: 'one' };
const other = { variant: 'other' };

test('the remaining time is estimated from declared costs first, and then from measured samples', () => {
  const scenario = /** @type {any} */ ({
    cost: (/** @type {any} */ { variant }) => ({ seconds: 1, starts: variant === 'one' ? 2 : 4 }),
  });
  const estimates = estimateSamples([{ scenario, configurations: [one, other] }], {
    quick: false,
    startSeconds: 0.5,
  });
  const estimate = new TimeEstimate([one, other], 10, estimates);
  assert.equal(estimate.secondsLeft, 10 * 2 + 10 * 3);
  estimate.record(one, 5);
  assert.equal(estimate.secondsLeft, 9 * 5 + 10 * 3);
  estimate.skip(other);
  assert.equal(estimate.secondsLeft, 9 * 5 + 9 * 3);
});

test('without declared costs, the remaining time is unknown first, and then estimated from the mean', () => {
  const estimate = new TimeEstimate([one, other], 2, new Map());
  assert.equal(estimate.secondsLeft, undefined);
  estimate.record(one, 4);
  assert.equal(estimate.secondsLeft, 4 + 2 * 4);
});
