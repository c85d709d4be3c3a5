import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock, guesses } from '../../../bench/harness/clock.js';

const one = { variant: 'one' };
const other = { variant: 'other' };

test('what is left is told from guesses first, and then from what was measured', () => {
  const scenario = /** @type {any} */ ({
    cost: (/** @type {any} */ { variant }) => ({ seconds: 1, starts: variant === 'one' ? 2 : 4 }),
  });
  const guessed = guesses([{ scenario, configurations: [one, other] }], {
    quick: false,
    startSeconds: 0.5,
  });
  const clock = new Clock([one, other], 10, guessed);
  assert.equal(clock.left, 10 * 2 + 10 * 3);
  clock.took(one, 5);
  assert.equal(clock.left, 9 * 5 + 10 * 3);
  clock.skip(other);
  assert.equal(clock.left, 9 * 5 + 9 * 3);
});

test('without a guess nothing is told before something is known, then the mean', () => {
  const clock = new Clock([one, other], 2, new Map());
  assert.equal(clock.left, undefined);
  clock.took(one, 4);
  assert.equal(clock.left, 4 + 2 * 4);
});

test('a sample is given many times as long as it should take, and no longer than its scenario allows', () => {
  const clock = new Clock([one, other], 2, new Map([[one, 10]]));
  assert.equal(clock.timeoutMs(one, 600_000), 200_000);
  assert.equal(clock.timeoutMs(one, 100_000), 100_000);
  assert.equal(clock.timeoutMs(other, 600_000), 600_000);
});
