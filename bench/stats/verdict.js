/**
 * Decides whether two series of samples are different, are equal within a margin, or have too few samples to decide.
 */
import {
  mannWhitney,
  normalQuantile,
  pairedHalfWidth,
  shiftHalfWidth,
  signedRank,
} from './rank-tests.js';

/** The probability with which the stated detectable difference is found. */
const POWER = 0.8;
/** Pairs are tested by both tests. Bonferroni's correction compensates for the choice between them. */
const PAIRED_TESTS = 2;
/** The level of an interval of 95 %. */
const INTERVAL_LEVEL = 0.05;

/**
 * @typedef {object} Assessment
 * @property {number} p two-sided p-value: the two are equal
 * @property {number} pEqual p-value: they differ by the margin or more
 * @property {(alpha: number) => number | null} detectable the smallest difference, percent, that a test at this level
 *   finds in 80 % of runs like this one; null: too few samples, or the values have no ratio
 */

/**
 * Tests for a difference, and for equivalence by two one-sided tests (TOST; Schuirmann 1987). Pairs are tested by
 * Wilcoxon's signed-rank test, which ignores the noise that both have in a round, and by the Mann-Whitney test, which
 * needs fewer rounds; the smaller p is doubled. Independent samples are tested by the Mann-Whitney test.
 * @param {number[]} a @param {number[]} b at least one each
 * @param {object} options
 * @param {boolean} options.paired a[i] and b[i] were taken in the same round
 * @param {number} options.margin percent; the ratio of equal series is between 1 / (1 + margin) and 1 + margin
 * @returns {Assessment}
 */
export function assess(a, b, { paired, margin }) {
  const hasRatio = [...a, ...b].every((value) => value > 0);
  const factor = 1 + margin / 100;
  const scaled = (/** @type {number} */ by) => test(times(a, by), b, paired);
  return {
    p: test(a, b, paired).p,
    pEqual: hasRatio ? Math.max(scaled(factor).greater, scaled(1 / factor).less) : 1,
    detectable: (alpha) => (hasRatio ? detectable(a, b, paired, alpha) : null),
  };
}

/** @param {number[]} samples @param {number} by */
const times = (samples, by) => samples.map((value) => value * by);

/** @param {number[]} a @param {number[]} b @param {boolean} paired @returns {import('./rank-tests.js').Tails} */
function test(a, b, paired) {
  const independent = mannWhitney(a, b);
  if (!paired) return independent;
  const pairs = signedRank(differences(a, b));
  const better = (/** @type {'p' | 'less' | 'greater'} */ tail) =>
    Math.min(1, PAIRED_TESTS * Math.min(independent[tail], pairs[tail]));
  return { p: better('p'), less: better('less'), greater: better('greater') };
}

/**
 * Returns the logarithms of the ratios, or plain differences where a value has no logarithm.
 * @param {number[]} a @param {number[]} b
 */
function differences(a, b) {
  const hasRatio = [...a, ...b].every((value) => value > 0);
  return a.map((value, i) => (hasRatio ? Math.log(value / b[i]) : value - b[i]));
}

/**
 * Computes the detectable difference of the tests. A difference of half the exact interval of the ratio is found in
 * half of the runs; the normal distribution extends it to POWER.
 * @param {number[]} a @param {number[]} b @param {boolean} paired @param {number} alpha
 * @returns {number | null} percent
 */
function detectable(a, b, paired, alpha) {
  const level = paired ? alpha / PAIRED_TESTS : alpha;
  const half = Math.min(
    shiftHalfWidth(a.map(Math.log), b.map(Math.log), level),
    paired ? pairedHalfWidth(differences(a, b), level) : Infinity,
  );
  if (half === Infinity) return null;
  return withPower(half, level);
}

/**
 * Returns the smallest difference that an interval of a ratio excludes in 80 % of runs like this one. A machine that
 * changes its clock often makes the interval of the medians wider than that of the tests.
 * @param {[number, number]} interval of 95 %
 * @returns {number} percent
 */
export function detectableByInterval([low, high]) {
  return withPower(Math.log(high / low) / 2, INTERVAL_LEVEL);
}

/**
 * Extends a difference that is found in half of the runs to one that is found with POWER.
 * @param {number} half logarithm of a ratio @param {number} level two-sided
 * @returns {number} percent
 */
function withPower(half, level) {
  const critical = normalQuantile(level / 2);
  const wanted = (half * (critical + normalQuantile(1 - POWER))) / critical;
  return (Math.exp(wanted) - 1) * 100;
}
