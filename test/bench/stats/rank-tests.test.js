/** Compares the rank tests with SciPy's. reference/make.py made the reference figures. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { mannWhitney, normalQuantile, signedRank } from '../../../bench/stats/rank-tests.js';

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
