/** The judge of samples. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededIndex } from '../../bench/stats/stats.js';
import { judge, percentile } from './judge.js';

const HOUR_MS = 3_600_000;
const RULE = { negligible: 512, bound: 4096 };

/**
 * One hour of samples: noise, and a leak on top of it.
 * @param {object} options
 * @param {number} options.perHour @param {number} options.noise @param {number} [options.seed]
 */
function hour({ perHour, noise, seed = 1 }) {
  const random = seededIndex(seed);
  const times = Array.from({ length: 60 }, (_, i) => (i * HOUR_MS) / 60);
  const values = times.map((at) => 50_000 + (perHour * at) / HOUR_MS + random(noise));
  return { times, values };
}

describe('judge()', () => {
  test('finds a planted leak that is smaller than the noise', () => {
    const { times, values } = hour({ perHour: 2000, noise: 3000 });
    const { problem, perHour, p } = judge(times, values, RULE);
    assert.match(String(problem), /^rises by/);
    assert.ok(perHour > 1000 && perHour < 3000, `${perHour} an hour`);
    assert.ok(p < 0.01, `p ${p}`);
  });

  test('finds growth beyond the bound when there are too few samples for significance', () => {
    const times = [0, HOUR_MS / 60, HOUR_MS / 30];
    const { problem } = judge(times, [0, 500, 400], RULE);
    assert.match(String(problem), /^grows by/);
  });

  test('passes noise, a falling series, a constant and a significant but negligible rise', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { times, values } = hour({ perHour: 0, noise: 3000, seed });
      assert.equal(judge(times, values, RULE).problem, undefined, `seed ${seed}`);
    }
    for (const perHour of [-5000, 0, 100]) {
      const { times, values } = hour({ perHour, noise: 1 });
      assert.equal(judge(times, values, RULE).problem, undefined, `${perHour} an hour`);
    }
  });

  test('finds one descriptor leaked every ten minutes', () => {
    const { times } = hour({ perHour: 0, noise: 1 });
    const values = times.map((_, i) => 25 + Math.floor(i / 10));
    assert.match(String(judge(times, values, { negligible: 0.5, bound: 100 }).problem), /^rises/);
  });
});

test('a percentile is one of the values', () => {
  assert.equal(percentile([4, 1, 3, 2], 0.5), 2);
  assert.equal(percentile([4, 1, 3, 2], 0.99), 4);
});
