/** Compares the rank tests with SciPy's. reference/make.py made the reference figures. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  mannWhitney,
  normalQuantile,
  pairedHalfWidth,
  shiftHalfWidth,
  signedRank,
} from '../../../bench/stats/rank-tests.js';

const file = new URL('./reference/statistics.json', import.meta.url);
const { made, oneSided, signs, quantiles } = JSON.parse(readFileSync(file, 'utf8'));

/** @param {number} value @param {number} expected */
function near(value, expected, what = '') {
  const off = Math.abs(value - expected) / Math.abs(expected);
  assert.ok(off <= 1e-6, `${what} ${value} instead of ${expected}`);
}

describe(`rank tests of ${made}`, () => {
  for (const [i, { a, b, less, greater }] of oneSided.entries()) {
    test(`Mann-Whitney, one-sided ${i}`, () => {
      const found = mannWhitney(a, b);
      near(found.less, less, 'less');
      near(found.greater, greater, 'greater');
    });
  }

  for (const [i, { differences, w, ...expected }] of signs.entries()) {
    test(`signed-rank test ${i}, ${differences.length} differences`, () => {
      const found = signedRank(differences);
      assert.equal(found.w, w);
      near(found.p, expected.p, 'p');
      near(found.less, expected.less, 'less');
      near(found.greater, expected.greater, 'greater');
      const opposite = signedRank(differences.map((/** @type {number} */ value) => -value));
      near(opposite.less, expected.greater, 'less of the opposite');
    });
  }

  test('quantiles of the normal distribution', () => {
    for (const { tail, value } of quantiles) near(normalQuantile(tail), value, `tail ${tail}`);
  });
});

test('differences of 0 are ignored', () => {
  assert.deepEqual(signedRank([0, 0, 0]), { w: 0, p: 1, less: 1, greater: 1 });
  assert.equal(signedRank([0, 1, -2, 3]).p, signedRank([1, -2, 3]).p);
});

test('a shift of half the interval is just significant, and a smaller one is not', () => {
  const alpha = 0.01;
  const a = [1.31, 0.42, -0.77, 0.16, -1.08, 0.93, -0.24, 0.61, -0.49, -0.83, 1.77, -1.5];
  const b = [0.12, -0.57, 1.02, -1.19, 0.38, 0.74, -0.91, -0.05, 0.5, -0.33, 1.4, -1.6];
  const centre = (/** @type {number[]} */ values, /** @type {number} */ by) =>
    values.map((value) => value - by);
  // The interval is not symmetric. A shift by its width from one end reaches the other end.
  const width = 2 * shiftHalfWidth(a, b, alpha);
  const shifted = (/** @type {number} */ by) => mannWhitney(centre(a, -by), b).p;
  const low = Math.max(
    ...a
      .flatMap((x) => b.map((y) => y - x))
      .filter((by) => shifted(by - 1e-9) <= alpha && shifted(by + 1e-9) > alpha),
  );
  assert.ok(shifted(low + width + 1e-9) <= alpha);
  assert.ok(shifted(low + width - 1e-9) > alpha);

  const pairs = a.map((value, i) => value - b[i]);
  const pairedWidth = 2 * pairedHalfWidth(pairs, alpha);
  const test1 = (/** @type {number} */ by) => signedRank(centre(pairs, -by)).p;
  const means = pairs.flatMap((x, i) => pairs.slice(i).map((y) => -(x + y) / 2));
  const start = Math.max(
    ...means.filter((by) => test1(by - 1e-9) <= alpha && test1(by + 1e-9) > alpha),
  );
  assert.ok(test1(start + pairedWidth + 1e-9) <= alpha);
  assert.ok(test1(start + pairedWidth - 1e-9) > alpha);
});

test('no shift is significant with too few samples', () => {
  assert.equal(shiftHalfWidth([1, 2, 3], [4, 5, 6], 0.01), Infinity);
  assert.equal(pairedHalfWidth([1, 2, 3, 4, 5], 0.01), Infinity);
});
