/**
 * Describes samples. Uses medians and ranks, because run times have long tails and are not normally distributed.
 * test/bench/stats compares the figures with SciPy.
 */
import { median, quantileSorted, sampleWithReplacement } from 'simple-statistics';
import { randomWord, seedRandom } from '../../app/game/rng.js';

export { median };

const RESAMPLES = 2000;
/** The ends of an interval that holds 95 % of the resampled values. */
const LOW = 0.025;
const HIGH = 0.975;
/**
 * With fewer samples, even the range from the lowest to the highest is not a 95 % interval of the median: it does not
 * contain the median in 2 of 2^n cases, which is 6 % for n = 5.
 */
export const MIN_INTERVAL_SAMPLES = 6;

/** @typedef {[number, number]} Interval low, high */

/** Makes a random number generator. @param {number} seed @returns {() => number} gives 0..1, without 1 */
export function seededRandom(seed) {
  const words = new Uint32Array(4);
  seedRandom(words, 0, seed >>> 0);
  return () => randomWord(words, 0) / 4294967296;
}

/** Makes a random number generator. @param {number} seed @returns {(n: number) => number} gives 0..n-1 */
export function seededIndex(seed) {
  const random = seededRandom(seed);
  return (n) => Math.floor(random() * n);
}

/**
 * Computes the 95 % confidence interval of the median by a percentile bootstrap (Efron 1979), or the range of fewer
 * than MIN_INTERVAL_SAMPLES samples.
 * @param {number[]} samples at least one
 * @param {number} [seed] the same seed gives the same interval
 * @returns {Interval}
 */
export function medianInterval(samples, seed = 1) {
  const [least, most] = [Math.min(...samples), Math.max(...samples)];
  if (least === most || samples.length < MIN_INTERVAL_SAMPLES) return [least, most];
  const random = seededRandom(seed);
  const draw = () => median(sampleWithReplacement(samples, samples.length, random));
  const medians = /** @type {any} */ (Float64Array.from({ length: RESAMPLES }, draw).sort());
  return [quantileSorted(medians, LOW), quantileSorted(medians, HIGH)];
}

/**
 * Runs the Mann-Kendall test for a trend: Kendall's rank correlation of the samples with their order in time. The
 * p-value is that of the normal distribution; small ones of few samples are too high.
 * @param {number[]} samples in the order in which they were taken
 * @returns {{tau: number, p: number}} tau: -1 (always falls) to 1 (always rises)
 */
export function trend(samples) {
  const n = samples.length;
  let score = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) score += Math.sign(samples[j] - samples[i]);
  }
  const ties = tiesOf(samples);
  const pairs = (n * (n - 1)) / 2;
  const tiedPairs = ties.reduce((sum, t) => sum + (t * (t - 1)) / 2, 0);
  const tied = ties.reduce((sum, t) => sum + t * (t - 1) * (2 * t + 5), 0);
  const variance = (n * (n - 1) * (2 * n + 5) - tied) / 18;
  if (variance === 0) return { tau: 0, p: 1 };
  const tau = score / Math.sqrt(pairs * (pairs - tiedPairs));
  return { tau, p: erfc(Math.abs(score) / Math.sqrt(2 * variance)) };
}

/** Returns the size of each group of equal values. @param {number[]} values */
function tiesOf(values) {
  /** @type {Map<number, number>} */
  const sizes = new Map();
  for (const value of values) sizes.set(value, (sizes.get(value) ?? 0) + 1);
  return [...sizes.values()];
}

/**
 * Computes the complementary error function with a relative error below 1.2e-7 (Press et al., "Numerical Recipes",
 * erfcc). 1 - errorFunction() of simple-statistics would lose all digits of small results.
 * @param {number} x 0..
 */
function erfc(x) {
  const t = 1 / (1 + 0.5 * x);
  const terms = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398,
    1.48851587, -0.82215223, 0.17087277,
  ];
  const polynomial = terms.reduceRight((sum, term) => sum * t + term, 0);
  return t * Math.exp(-x * x + polynomial);
}
