/** The judge of samples. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { seededIndex } from '../../bench/stats/stats.js';
import { judge, percentile } from './judge.js';

const HOUR_MS = 3_600_000;
const TIMES = Array.from({ length: 60 }, (_, i) => (i * HOUR_MS) / 60);

/** Makes one hour of samples: noise, and a leak on top of it. @param {number} perHour @param {number} noise */
function hour(perHour, noise, seed = 1) {
  const random = seededIndex(seed);
  return TIMES.map((at) => 50_000 + (perHour * at) / HOUR_MS + random(noise));
}

/** @type {Record<string, {values: number[], negligible?: number, problem?: RegExp}>} */
const SERIES = {
  'a leak that is smaller than the noise': { values: hour(2000, 3000), problem: /^rises by/ },
  'growth beyond the bound, of too few samples for significance': {
    values: [0, 500, 400],
    problem: /^grows by/,
  },
  'a descriptor every ten minutes': {
    values: TIMES.map((_, i) => 25 + Math.floor(i / 10)),
    negligible: 0.5,
    problem: /^rises by/,
  },
  'a falling series': { values: hour(-5000, 1) },
  'a constant': { values: hour(0, 1) },
  'a significant but negligible rise': { values: hour(100, 1) },
};
for (let seed = 1; seed <= 20; seed++) SERIES[`noise ${seed}`] = { values: hour(0, 3000, seed) };

test('significant leaks and growth beyond the bound are problems', () => {
  for (const [name, { values, problem, negligible = 512 }] of Object.entries(SERIES)) {
    const found = judge(TIMES, values, { negligible, bound: 4096 }).problem ?? '';
    assert.match(found, problem ?? /^$/, name);
  }
  const { perHour, p } = judge(TIMES, hour(2000, 3000), { negligible: 512, bound: 4096 });
  assert.ok(perHour > 1000 && perHour < 3000, `${perHour} an hour`);
  assert.ok(p < 0.01, `p ${p}`);
});

test('a percentile is one of the values', () => {
  assert.equal(percentile([4, 1, 3, 2], 0.5), 2);
  assert.equal(percentile([4, 1, 3, 2], 0.99), 4);
});
