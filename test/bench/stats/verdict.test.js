/** Compares the tests for difference and equivalence with SciPy's, and simulates their error rates and power. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { seededIndex } from '../../../bench/stats/stats.js';
import { assess } from '../../../bench/stats/verdict.js';

const file = new URL('./reference/statistics.json', import.meta.url);
const { made, equivalence } = JSON.parse(readFileSync(file, 'utf8'));

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
function pairs(seed, ratio) {
  const index = seededIndex(seed);
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
    const { a, b } = pairs(seed, ratio);
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
    const { a, b } = pairs(seed, 1);
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
  const { a, b } = pairs(3, 1.06);
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
