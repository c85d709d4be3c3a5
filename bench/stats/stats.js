/**
 * The statistics of the harness. Medians and ranks, for run times have long tails and no normal
 * distribution; what simple-statistics has is taken from there. test/bench/stats/stats.test.js holds all
 * of it against SciPy's figures.
 */
import { median, medianAbsoluteDeviation, quantileSorted } from 'simple-statistics';
import { randomWord, seedRandom } from '../../app/game/rng.js';

export { median };

const RESAMPLES = 2000;
/** Percentiles of the resampled medians between which 95 % of them lie. */
const LOW = 0.025;
const HIGH = 0.975;

/** @typedef {[number, number]} Interval low, high */

/** @param {number} seed @returns {(n: number) => number} 0..n-1 */
export function seededIndex(seed) {
  const words = new Uint32Array(4);
  seedRandom(words, 0, seed >>> 0);
  return (n) => Math.floor((randomWord(words, 0) / 4294967296) * n);
}

/**
 * Percentile bootstrap (Efron 1979) of anything that can be computed from samples.
 * @param {(index: (n: number) => number) => number} resample
 * @param {number} seed the same seed gives the same interval
 * @returns {Interval}
 */
function bootstrap(resample, seed) {
  const index = seededIndex(seed);
  const values = Float64Array.from({ length: RESAMPLES }, () => resample(index)).sort();
  const sorted = /** @type {any} */ (values);
  return [quantileSorted(sorted, LOW), quantileSorted(sorted, HIGH)];
}

/** @param {number[]} samples @param {(n: number) => number} index */
const drawn = (samples, index) => samples.map(() => samples[index(samples.length)]);

/**
 * @param {number[]} samples at least one
 * @param {number} [seed]
 * @returns {Interval} 95 % confidence interval of the median
 */
export function medianInterval(samples, seed = 1) {
  if (samples.every((value) => value === samples[0])) return [samples[0], samples[0]];
  return bootstrap((index) => median(drawn(samples, index)), seed);
}

/**
 * median(a) / median(b) with its 95 % interval. Paired: a[i] and b[i] were taken in the same round
 * and are drawn together, so that what slowed down a whole round does not widen the interval.
 * @param {number[]} a @param {number[]} b at least one each; equally many when paired
 * @param {{paired?: boolean, seed?: number}} [options]
 * @returns {{ratio: number, ci95: Interval} | undefined} undefined when b's median is 0
 */
export function ratioOfMedians(a, b, { paired = false, seed = 1 } = {}) {
  const below = median(b);
  if (below === 0) return undefined;
  const ratio = median(a) / below;
  const ci95 = bootstrap((index) => {
    if (!paired) return median(drawn(a, index)) / (median(drawn(b, index)) || below);
    const rounds = a.map(() => index(a.length));
    return median(rounds.map((i) => a[i])) / (median(rounds.map((i) => b[i])) || below);
  }, seed);
  return { ratio, ci95 };
}

/**
 * @param {number[]} values
 * @returns {{ranks: number[], ties: number[]}} ranks from 1, equal values share their mean rank;
 *   ties: how many values each group of equal ones has
 */
function rank(values) {
  const order = values.map((_, i) => i).sort((i, j) => values[i] - values[j]);
  const ranks = new Array(values.length);
  const ties = [];
  for (let start = 0, end; start < order.length; start = end) {
    for (end = start + 1; end < order.length && values[order[end]] === values[order[start]]; end++);
    for (let i = start; i < end; i++) ranks[order[i]] = (start + 1 + end) / 2;
    if (end - start > 1) ties.push(end - start);
  }
  return { ranks, ties };
}

/** Up to so many samples together p is counted out; beyond, the normal distribution is near. */
const EXACT_SAMPLES = 80;

/**
 * Mann-Whitney U test, two-sided: is one of the two more often the larger one? Exact, with ties too;
 * for very many samples by the normal distribution with corrections for ties and continuity.
 * @param {number[]} a @param {number[]} b at least one each
 * @returns {{u: number, p: number}} u: of a
 */
export function mannWhitney(a, b) {
  const { ranks, ties } = rank([...a, ...b]);
  const [n, m] = [a.length, b.length];
  const sum = ranks.slice(0, n).reduce((all, value) => all + value, 0);
  const u = sum - (n * (n + 1)) / 2;
  const all = n + m;
  if (all <= EXACT_SAMPLES) return { u, p: exactChance(ranks, n, sum, ties.length > 0) };
  const tied = ties.reduce((all, t) => all + t ** 3 - t, 0);
  const deviation = Math.sqrt(((n * m) / 12) * (all + 1 - tied / (all * (all - 1))));
  if (deviation === 0) return { u, p: 1 };
  return { u, p: twoSided((Math.max(u, n * m - u) - (n * m) / 2 - 0.5) / deviation) };
}

/**
 * How many of all ways to draw n of the ranks give a sum as low, or as high, as this one, twice the
 * rarer: the shift algorithm (Streitberg and Röhmel 1986), which counts the ways by their sums, one
 * rank at a time.
 * @param {number[]} ranks @param {number} n @param {number} sum of the n that were drawn
 * @param {boolean} halves ties have ranks between whole numbers
 */
function exactChance(ranks, n, sum, halves) {
  const scale = halves ? 2 : 1;
  const whole = ranks.map((value) => value * scale);
  const total = whole.reduce((all, value) => all + value, 0);
  const width = total + 1;
  /** ways[k * width + s]: to draw k of the ranks seen so far with the sum s */
  const ways = new Float64Array((n + 1) * width);
  ways[0] = 1;
  let most = 0;
  whole.forEach((value, seen) => {
    most += value;
    for (let k = Math.min(n, seen + 1); k > 0; k--) {
      const [to, from] = [k * width, (k - 1) * width - value];
      for (let s = value; s <= most; s++) ways[to + s] += ways[from + s];
    }
  });
  let [below, above, every] = [0, 0, 0];
  for (let s = 0; s < width; s++) {
    const count = ways[n * width + s];
    every += count;
    if (s <= sum * scale) below += count;
    if (s >= sum * scale) above += count;
  }
  return Math.min(1, (2 * Math.min(below, above)) / every);
}

/** Up to so many samples p of a trend is counted out. */
const EXACT_TREND = 33;

/**
 * Mann-Kendall test for a trend: Kendall's rank correlation of the samples with their order in time.
 * @param {number[]} samples in the order in which they were taken
 * @returns {{tau: number, p: number}} tau -1 (falls all the time) .. 1 (rises all the time)
 */
export function trend(samples) {
  const n = samples.length;
  const pairs = (n * (n - 1)) / 2;
  if (n < 3) return { tau: 0, p: 1 };
  let score = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) score += Math.sign(samples[j] - samples[i]);
  }
  const { ties } = rank(samples);
  if (ties.length === 0 && n <= EXACT_TREND) {
    const counts = countsOfInversions(n);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const most = (pairs + Math.abs(score)) / 2;
    const beyond = counts.slice(most).reduce((sum, count) => sum + count, 0);
    return { tau: score / pairs, p: Math.min(1, (2 * beyond) / total) };
  }
  const tiedPairs = ties.reduce((sum, t) => sum + (t * (t - 1)) / 2, 0);
  const tied = ties.reduce((sum, t) => sum + t * (t - 1) * (2 * t + 5), 0);
  const variance = (n * (n - 1) * (2 * n + 5) - tied) / 18;
  if (variance === 0) return { tau: 0, p: 1 };
  const tau = score / Math.sqrt(pairs * (pairs - tiedPairs));
  return { tau, p: twoSided(Math.abs(score) / Math.sqrt(variance)) };
}

/** How many orders of n values have 0, 1, ... inversions. @param {number} n */
function countsOfInversions(n) {
  let counts = [1];
  for (let size = 2; size <= n; size++) {
    const next = new Array(counts.length + size - 1).fill(0);
    counts.forEach((count, at) => {
      for (let more = 0; more < size; more++) next[at + more] += count;
    });
    counts = next;
  }
  return counts;
}

/**
 * Holm's correction (1979) for many comparisons: p values to be held against one threshold as if
 * there were only one of them.
 * @param {number[]} values p values @returns {number[]} in the same order
 */
export function holm(values) {
  const order = values.map((_, i) => i).sort((i, j) => values[i] - values[j]);
  const corrected = new Array(values.length);
  let least = 0;
  order.forEach((at, place) => {
    least = Math.max(least, Math.min(1, values[at] * (values.length - place)));
    corrected[at] = least;
  });
  return corrected;
}

/** Beyond this modified z-score a sample is an outlier. */
const OUTLIER_SCORE = 3.5;
/** Makes the median absolute deviation of normally distributed values their standard deviation. */
const MAD_TO_DEVIATION = 0.6745;

/**
 * How many samples lie far off: modified z-score (Iglewicz and Hoaglin, "How to detect and handle
 * outliers", 1993).
 * @param {number[]} samples
 */
export function countOutliers(samples) {
  const middle = median(samples);
  const deviation = medianAbsoluteDeviation(samples);
  if (deviation === 0) return 0;
  const score = (/** @type {number} */ x) => (MAD_TO_DEVIATION * Math.abs(x - middle)) / deviation;
  return samples.filter((value) => score(value) > OUTLIER_SCORE).length;
}

/** @param {number} z 0.. @returns {number} chance of a normally distributed value beyond z or -z */
function twoSided(z) {
  return Math.min(1, erfc(Math.max(0, z) / Math.SQRT2));
}

/**
 * Complementary error function, fractional error below 1.2e-7 everywhere (Press et al., "Numerical
 * Recipes", erfcc); 1 - errorFunction() of the library has no digits left where p is small.
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
