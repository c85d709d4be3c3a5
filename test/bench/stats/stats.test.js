/**
 * Compares the statistics with SciPy's, and simulates their error rates and power. reference/make.py made the
 * reference figures.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { mannWhitney, normalQuantile, signedRank } from '../../../bench/stats/rank-tests.js';
import * as stats from '../../../bench/stats/stats.js';
import { assess } from '../../../bench/stats/verdict.js';

const file = new URL('./reference/statistics.json', import.meta.url);
const { made, pairs, walks, holm, oneSided, signs, quantiles, equivalence } = JSON.parse(
  readFileSync(file, 'utf8'),
);

/** @param {number} value @param {number} expected @param {string} what @param {number} [tolerance] relative */
function near(value, expected, what, tolerance = 1e-6) {
  const off = Math.abs(value - expected) / Math.abs(expected);
  assert.ok(off <= tolerance, `${what} ${value} instead of ${expected}`);
}

describe(`statistics of ${made}`, () => {
  for (const [i, pair] of pairs.entries()) {
    const { a, b } = pair;
    test(`pair ${i}: Mann-Whitney, medians and their ratio`, () => {
      const { u, p } = mannWhitney(a, b);
      assert.equal(u, pair.u);
      near(p, pair.p, 'p');
      near(mannWhitney(b, a).p, pair.p, 'p the other way round');
      assert.equal(stats.median(a), pair.medianA);
      near(stats.ratioOfMedians(a, b)?.ratio ?? NaN, pair.ratio, 'ratio', 1e-12);
    });

    test(`pair ${i}: bootstrap intervals`, () => {
      // Both are random: their ends differ by a part of the interval's width.
      const close = (/** @type {number[]} */ ours, /** @type {number[]} */ theirs) => {
        const slack = Math.max(0.2 * (theirs[1] - theirs[0]), 1e-9);
        ours.forEach((end, at) =>
          assert.ok(Math.abs(end - theirs[at]) <= slack, `${ours} ${theirs}`),
        );
      };
      close(stats.medianInterval(a, 7), pair.medianInterval);
      close(stats.ratioOfMedians(a, b, { seed: 7 })?.ci95 ?? [], pair.ratioInterval);
      if (!pair.pairedInterval) return;
      const paired = stats.ratioOfMedians(a, b, { paired: true, seed: 7 });
      close(paired?.ci95 ?? [], pair.pairedInterval);
    });
  }

  for (const [i, { samples, tau, p }] of walks.entries()) {
    test(`walk ${i}: trend`, () => {
      const found = stats.trend(samples);
      near(found.tau, tau, 'tau', 1e-9);
      near(found.p, p, 'p');
    });
  }

  test('Holm correction', () => {
    for (const { p, corrected } of holm) {
      stats.holm(p).forEach((value, i) => near(value, corrected[i], 'p', 1e-12));
    }
    assert.deepEqual(stats.holm([]), []);
  });
});

test('slow rounds do not widen the interval of a paired ratio', () => {
  const round = [0, 40, 5, 90, 10, 33, 70, 2, 55, 61, 20, 48];
  const a = round.map((more, i) => 100 + more + (i % 3));
  const b = round.map((more, i) => 50 + more / 2 + (i % 2));
  const width = (/** @type {[number, number] | undefined} */ [low, high] = [0, 0]) => high - low;
  const paired = stats.ratioOfMedians(a, b, { paired: true })?.ci95;
  assert.ok(width(paired) < width(stats.ratioOfMedians(a, b)?.ci95) / 4);
});

test('equal samples have no interval, outliers, trend or difference', () => {
  assert.deepEqual(stats.medianInterval([4, 4, 4]), [4, 4]);
  assert.equal(stats.countOutliers([4, 4, 4, 4]), 0);
  assert.deepEqual(stats.trend([4, 4, 4, 4]), { tau: 0, p: 1 });
  assert.equal(mannWhitney([4, 4, 4], [4, 4, 4]).p, 1);
  assert.equal(stats.ratioOfMedians([1], [0]), undefined);
});

test('fewer than 6 samples get their range instead of an interval', () => {
  assert.deepEqual(stats.medianInterval([5, 1, 3]), [1, 5]);
  assert.deepEqual(stats.medianInterval([5, 1, 3, 2, 4]), [1, 5]);
});

test('outliers are counted in both directions', () => {
  const usual = [10, 11, 9, 10.5, 9.5, 10.2, 9.8, 10.1];
  assert.equal(stats.countOutliers(usual), 0);
  assert.equal(stats.countOutliers([...usual, 30, 1]), 2);
});

test('the interval of the median contains the true median in about 95 of 100 runs of noise', () => {
  const index = stats.seededIndex(11);
  let held = 0;
  for (let run = 0; run < 300; run++) {
    const samples = Array.from({ length: 30 }, () => index(1_000_001));
    const [low, high] = stats.medianInterval(samples, run);
    if (low <= 500_000 && high >= 500_000) held++;
  }
  assert.ok(held >= 270 && held <= 297, `${held} of 300`);
});

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

const LEVEL = 0.01;
const ROUNDS = 12;
const REPETITIONS = 200;

describe(`equivalence tests of ${made}`, () => {
  for (const [i, { a, b, margin, p }] of equivalence.entries()) {
    test(`case ${i}`, () => {
      const { pEqual } = assess(a, b, { paired: true, margin });
      assert.ok(Math.abs(pEqual - p) <= 1e-9 + 1e-6 * p, `${pEqual} instead of ${p}`);
    });
  }
});

/**
 * Makes pairs with 2 % of noise each and 20 % of noise that both of a round have.
 * @param {number} seed @param {number} ratio true ratio
 */
function drawPairs(seed, ratio) {
  const index = stats.seededIndex(seed);
  const noise = () =>
    Array.from({ length: 6 }, () => index(2001) / 1000 - 1).reduce((x, y) => x + y) / 6;
  const rounds = Array.from({ length: ROUNDS }, () => 100 * (1 + 0.5 * noise()));
  return {
    a: rounds.map((round) => round * ratio * (1 + 0.08 * noise())),
    b: rounds.map((round) => round * (1 + 0.08 * noise())),
  };
}

/**
 * Counts repetitions.
 * @param {number} ratio @param {(result: import('../../../bench/stats/verdict.js').Assessment) => boolean} which
 */
function count(ratio, which) {
  let found = 0;
  for (let seed = 1; seed <= REPETITIONS; seed++) {
    const { a, b } = drawPairs(seed, ratio);
    if (which(assess(a, b, { paired: true, margin: 5 }))) found++;
  }
  return found;
}

test('equal series get the verdict "yes" in about 1 % of runs', () => {
  const wrong = count(1, ({ p }) => p < LEVEL);
  assert.ok(wrong <= 6, `${wrong} of ${REPETITIONS}`);
});

test('series that differ by the margin get the verdict "no" in about 1 % of runs', () => {
  const wrong = count(1.05, ({ pEqual }) => pEqual < LEVEL);
  assert.ok(wrong <= 6, `${wrong} of ${REPETITIONS}`);
});

test('equal series get the verdict "no" if the noise is small', () => {
  const found = count(1, ({ pEqual }) => pEqual < LEVEL);
  assert.ok(found >= 0.7 * REPETITIONS, `${found} of ${REPETITIONS}`);
});

test('the stated detectable difference is found in about 80 % of runs, half of it rarely', () => {
  const stated = [];
  for (let seed = 1; seed <= REPETITIONS; seed++) {
    const { a, b } = drawPairs(seed, 1);
    stated.push(Number(assess(a, b, { paired: true, margin: 5 }).detectable(LEVEL)));
  }
  stated.sort((x, y) => x - y);
  const typical = stated[REPETITIONS / 2];
  const found = count(1 + typical / 100, ({ p }) => p < LEVEL);
  assert.ok(
    found >= 0.65 * REPETITIONS && found <= 0.95 * REPETITIONS,
    `${found} of ${REPETITIONS} with ${typical} %`,
  );
  const half = count(1 + typical / 200, ({ p }) => p < LEVEL);
  assert.ok(half <= 0.4 * REPETITIONS, `${half} of ${REPETITIONS}`);
});

test('tests of pairs find differences that noise of whole rounds hides in tests of independent samples', () => {
  const { a, b } = drawPairs(3, 1.06);
  assert.ok(assess(a, b, { paired: true, margin: 5 }).p < LEVEL);
  assert.ok(assess(a, b, { paired: false, margin: 5 }).p > LEVEL);
});

test('with too few samples no difference is detectable, and with values of 0 no ratio exists', () => {
  const few = assess([1, 2, 3], [1.1, 2.1, 3.1], { paired: true, margin: 5 });
  assert.equal(few.detectable(LEVEL), null);
  const zeros = assess([0, 1, 2, 0, 1, 2, 3], [0, 1, 2, 0, 1, 2, 3], { paired: true, margin: 5 });
  assert.equal(zeros.detectable(LEVEL), null);
  assert.equal(zeros.pEqual, 1);
});
