/** Compares the statistics with SciPy's. reference/make.py made the reference figures. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { mannWhitney } from '../../../bench/stats/rank-tests.js';
import * as stats from '../../../bench/stats/stats.js';

const file = new URL('./reference/statistics.json', import.meta.url);
const { made, pairs, walks, holm } = JSON.parse(readFileSync(file, 'utf8'));

/** @param {number} value @param {number} expected @param {number} tolerance relative */
function near(value, expected, tolerance, what = '') {
  const off = Math.abs(value - expected) / Math.abs(expected);
  assert.ok(off <= tolerance, `${what} ${value} instead of ${expected}`);
}

describe(`statistics of ${made}`, () => {
  for (const [i, pair] of pairs.entries()) {
    const { a, b } = pair;
    test(`pair ${i}: Mann-Whitney, medians and their ratio`, () => {
      const { u, p } = mannWhitney(a, b);
      assert.equal(u, pair.u);
      near(p, pair.p, 1e-6, 'p');
      near(mannWhitney(b, a).p, pair.p, 1e-6, 'p the other way round');
      assert.equal(stats.median(a), pair.medianA);
      near(stats.ratioOfMedians(a, b)?.ratio ?? NaN, pair.ratio, 1e-12);
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
      near(found.tau, tau, 1e-9, 'tau');
      near(found.p, p, 1e-6, 'p');
    });
  }

  test('Holm correction', () => {
    for (const { p, corrected } of holm) {
      stats.holm(p).forEach((value, i) => near(value, corrected[i], 1e-12));
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
