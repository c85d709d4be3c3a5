/**
 * Compares the statistics with SciPy's. reference/make.py made the reference figures; report/results.test.js simulates
 * error rates.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { compareSeries, intervalOf, mannWhitney, signedRank } from '../../../bench/stats/ratio.js';
import * as stats from '../../../bench/stats/stats.js';

const file = new URL('./reference/statistics.json', import.meta.url);
const { made, medians, pairs, signs, walks, equivalence } = JSON.parse(readFileSync(file, 'utf8'));

/** Relative error of the p-value of a trend, and of the levels below and above that of a rank test. */
const TOLERANCE = 1e-6;

/** @param {number} value @param {number} expected @param {string} what */
function near(value, expected, what) {
  const off = Math.abs(value - expected) / Math.abs(expected);
  assert.ok(off <= TOLERANCE, `${what} ${value} instead of ${expected}`);
}

/**
 * Asserts that something holds from a level on: just above a p-value of SciPy, and not just below.
 * @param {number} p @param {(level: number) => boolean} holds
 */
function assertFrom(p, holds) {
  assert.equal(holds(p * (1 + TOLERANCE)), true, `above ${p}`);
  assert.equal(holds(p * (1 - TOLERANCE)), false, `below ${p}`);
}

/** @param {import('../../../bench/stats/ratio.js').RankTest} rankTest @param {number} level two-sided */
function finds(rankTest, level) {
  const [low, high] = intervalOf(rankTest, level / 2);
  return low > 0 || high < 0;
}

describe(`statistics of ${made}`, () => {
  for (const { samples, median, interval } of medians) {
    test(`median of ${samples.length} samples, and its bootstrap interval`, () => {
      assert.equal(stats.median(samples), median);
      // Both are random: their ends differ by a part of the interval's width.
      const slack = 0.2 * (interval[1] - interval[0]);
      stats.medianInterval(samples, 7).forEach((end, at) => {
        assert.ok(Math.abs(end - interval[at]) <= slack, `${end} instead of ${interval[at]}`);
      });
    });
  }

  for (const { a, b, p } of pairs) {
    test(`Mann-Whitney test of ${a.length} and ${b.length} samples, p = ${p}`, () => {
      assertFrom(p, (level) => finds(mannWhitney(a, b), level));
      assertFrom(p, (level) => finds(mannWhitney(b, a), level));
    });
  }

  for (const { differences, p } of signs) {
    test(`signed-rank test of ${differences.length} differences, p = ${p}`, () => {
      assertFrom(p, (level) => finds(signedRank(differences), level));
    });
  }

  for (const { a, b, margin, p } of equivalence) {
    test(`equivalence within ${margin} % of ${a.length} pairs, p = ${p}`, () => {
      const options = { paired: true, margin };
      assertFrom(p, (level) => compareSeries(a, b, { ...options, level })?.verdict === 'no');
    });
  }

  for (const { samples, tau, p } of walks) {
    test(`trend of ${samples.length} samples`, () => {
      const found = stats.trend(samples);
      near(found.tau, tau, 'tau');
      near(found.p, p, 'p');
    });
  }
});

test('equal samples have no interval, trend or difference', () => {
  assert.deepEqual(stats.medianInterval([4, 4, 4]), [4, 4]);
  assert.deepEqual(stats.trend([4, 4, 4, 4]), { tau: 0, p: 1 });
  const equal = Array(20).fill(4);
  const options = { paired: false, margin: 5, level: 0.01 };
  assert.equal(compareSeries(equal, equal, options)?.verdict, 'no');
});

test('fewer than 6 samples get their range instead of an interval', () => {
  assert.deepEqual(stats.medianInterval([5, 1, 3]), [1, 5]);
  assert.deepEqual(stats.medianInterval([5, 1, 3, 2, 4]), [1, 5]);
});

const PAIRED = { paired: true, margin: 5, level: 0.01 };
const ROUNDS = 12;

/**
 * Makes pairs with 2 % of noise each and 20 % of noise that both of a round have, and compares them.
 * @param {number} seed @param {number} ratio true ratio
 */
function comparePairs(seed, ratio, options = PAIRED) {
  const index = stats.seededIndex(seed);
  const noise = () =>
    Array.from({ length: 6 }, () => index(2001) / 1000 - 1).reduce((x, y) => x + y) / 6;
  const rounds = Array.from({ length: ROUNDS }, () => 100 * (1 + 0.5 * noise()));
  const a = rounds.map((round) => round * ratio * (1 + 0.08 * noise()));
  const b = rounds.map((round) => round * (1 + 0.08 * noise()));
  const found = compareSeries(a, b, options);
  assert.ok(found);
  return found;
}

test('tests of pairs find differences that noise of whole rounds hides in tests of independent samples', () => {
  assert.equal(comparePairs(3, 1.06).verdict, 'yes');
  assert.equal(comparePairs(3, 1.06, { ...PAIRED, paired: false }).verdict, 'cannot say');
});

test('too few samples have no verdict, and values of 0 no ratio', () => {
  assert.equal(compareSeries([1, 2, 3], [1.1, 2.1, 3.1], PAIRED)?.verdict, 'cannot say');
  assert.equal(compareSeries([0, 1, 2], [1, 1, 2], PAIRED), undefined);
  assert.equal(compareSeries([], [], PAIRED), undefined);
});
