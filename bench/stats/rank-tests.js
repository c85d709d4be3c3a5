/**
 * Rank tests. Their p-values are exact, also with ties. For very many samples, they use the normal distribution.
 * test/bench/stats compares them with SciPy.
 */

/**
 * @typedef {object} Tails
 * @property {number} p two-sided @property {number} less @property {number} greater one-sided
 *
 * @typedef {object} Distribution the null distribution of a rank sum
 * @property {Float64Array} counts number of equally likely cases by sum
 * @property {number} total of all counts
 */

/** Maximum number of samples for which the Mann-Whitney test counts cases. */
const MAX_EXACT_SAMPLES = 80;
/** Maximum number of pairs for which the signed-rank test counts cases. */
const MAX_EXACT_PAIRS = 200;

/**
 * Ranks values from 1. Equal values share their mean rank.
 * @param {number[]} values
 * @returns {{ranks: number[], ties: number[]}} ties: the size of each group of equal values
 */
export function rank(values) {
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

/**
 * Runs the Mann-Whitney U test for independent samples. `less` is small when a tends to be smaller than b.
 * @param {number[]} a @param {number[]} b at least one each
 * @returns {Tails & {u: number}} u: of a
 */
export function mannWhitney(a, b) {
  const [n, m] = [a.length, b.length];
  const all = n + m;
  const { ranks, ties } = rank([...a, ...b]);
  const sum = sumOf(ranks.slice(0, n));
  const u = sum - (n * (n + 1)) / 2;
  if (all <= MAX_EXACT_SAMPLES) {
    if (ties.length === 0) return { u, ...tailsAt(untiedRankSums(n, all), sum) };
    const doubled = ranks.map((value) => value * 2);
    return { u, ...tailsAt(rankSums(doubled, n), sum * 2) };
  }
  const tied = sumOf(ties.map((t) => t ** 3 - t));
  const variance = ((n * m) / 12) * (all + 1 - tied / (all * (all - 1)));
  return { u, ...normalTails(u - (n * m) / 2, Math.sqrt(variance)) };
}

/**
 * Runs Wilcoxon's signed-rank test for paired samples. Differences of 0 are left out (Wilcoxon 1945). `less` is small
 * when the differences tend to be negative.
 * @param {number[]} differences
 * @returns {Tails & {w: number}} w: the sum of the ranks of the positive differences
 */
export function signedRank(differences) {
  const kept = differences.filter((value) => value !== 0);
  const n = kept.length;
  if (n === 0) return { w: 0, p: 1, less: 1, greater: 1 };
  const { ranks, ties } = rank(kept.map(Math.abs));
  const w = sumOf(ranks.filter((_, i) => kept[i] > 0));
  if (n <= MAX_EXACT_PAIRS) {
    if (ties.length === 0) return { w, ...tailsAt(untiedSignedSums(n), w) };
    return { w, ...tailsAt(subsetSums(ranks.map((value) => value * 2)), w * 2) };
  }
  const tied = sumOf(ties.map((t) => t ** 3 - t));
  const variance = (n * (n + 1) * (2 * n + 1)) / 24 - tied / 48;
  return { w, ...normalTails(w - (n * (n + 1)) / 4, Math.sqrt(variance)) };
}

/**
 * Returns half the width of the interval of shifts that the Mann-Whitney test does not reject (Hollander and Wolfe,
 * "Nonparametric Statistical Methods", section 4.3). A shift of this size is just significant.
 * @param {number[]} a @param {number[]} b @param {number} alpha two-sided
 * @returns {number} Infinity if no shift can be significant with so few samples
 */
export function shiftHalfWidth(a, b, alpha) {
  const [n, m] = [a.length, b.length];
  const differences = Float64Array.from(a.flatMap((x) => b.map((y) => x - y))).sort();
  const deviation = Math.sqrt((n * m * (n + m + 1)) / 12);
  const critical =
    n + m <= MAX_EXACT_SAMPLES
      ? criticalSum(untiedRankSums(n, n + m), alpha / 2) - (n * (n + 1)) / 2
      : normalCritical((n * m) / 2, deviation, alpha / 2);
  return halfWidth(differences, critical);
}

/**
 * Returns the same for the signed-rank test, from the means of all pairs of differences (section 3.3 of the book).
 * @param {number[]} differences @param {number} alpha two-sided
 */
export function pairedHalfWidth(differences, alpha) {
  const n = differences.length;
  const means = new Float64Array((n * (n + 1)) / 2);
  let at = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) means[at++] = (differences[i] + differences[j]) / 2;
  }
  const deviation = Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24);
  const critical =
    n <= MAX_EXACT_PAIRS
      ? criticalSum(untiedSignedSums(n), alpha / 2)
      : normalCritical(means.length / 2, deviation, alpha / 2);
  return halfWidth(means.sort(), critical);
}

/**
 * @param {Float64Array} sorted
 * @param {number} critical number of values to leave out at each end; negative: there is no interval
 */
function halfWidth(sorted, critical) {
  if (critical < 0) return Infinity;
  return (sorted[sorted.length - 1 - critical] - sorted[critical]) / 2;
}

/**
 * Returns the largest sum with a lower tail of at most alpha, or -Infinity.
 * @param {Distribution} distribution @param {number} alpha
 */
function criticalSum({ counts, total }, alpha) {
  let below = 0;
  let critical = -Infinity;
  for (let sum = 0; sum < counts.length; sum++) {
    below += counts[sum];
    if (below / total > alpha) break;
    if (below > 0) critical = sum;
  }
  return critical;
}

/** @param {number} mean @param {number} deviation @param {number} alpha one-sided */
function normalCritical(mean, deviation, alpha) {
  return Math.floor(mean - normalQuantile(alpha) * deviation - 0.5);
}

/** @param {Distribution} distribution @param {number} sum @returns {Tails} */
function tailsAt({ counts, total }, sum) {
  let [below, above] = [0, 0];
  for (let s = 0; s < counts.length; s++) {
    if (s <= sum) below += counts[s];
    if (s >= sum) above += counts[s];
  }
  const [less, greater] = [below / total, above / total];
  return { p: Math.min(1, 2 * Math.min(less, greater)), less, greater };
}

/** @param {number} distance from the mean @param {number} deviation @returns {Tails} corrected for continuity */
function normalTails(distance, deviation) {
  if (deviation === 0) return { p: 1, less: 1, greater: 1 };
  const p = Math.min(1, twoSided((Math.abs(distance) - 0.5) / deviation));
  const less = upperTail((-distance - 0.5) / deviation);
  const greater = upperTail((distance - 0.5) / deviation);
  return { p, less, greater };
}

/**
 * Counts the ways to draw n of the ranks, by their sum: the shift algorithm of Streitberg and Röhmel (1986), one rank
 * at a time.
 * @param {number[]} ranks whole numbers @param {number} n
 * @returns {Distribution}
 */
function rankSums(ranks, n) {
  const width = sumOf(ranks) + 1;
  /** ways[k * width + s]: to draw k of the ranks seen so far with the sum s */
  const ways = new Float64Array((n + 1) * width);
  ways[0] = 1;
  let most = 0;
  ranks.forEach((value, seen) => {
    most += value;
    for (let k = Math.min(n, seen + 1); k > 0; k--) {
      const [to, from] = [k * width, (k - 1) * width - value];
      for (let s = value; s <= most; s++) ways[to + s] += ways[from + s];
    }
  });
  return distributionOf(ways.slice(n * width));
}

/** Counts the subsets of the ranks by their sum. @param {number[]} ranks whole numbers @returns {Distribution} */
function subsetSums(ranks) {
  const ways = new Float64Array(sumOf(ranks) + 1);
  ways[0] = 1;
  let most = 0;
  for (const value of ranks) {
    most += value;
    for (let s = most; s >= value; s--) ways[s] += ways[s - value];
  }
  return distributionOf(ways);
}

/** @param {Float64Array} counts @returns {Distribution} */
const distributionOf = (counts) => ({ counts, total: counts.reduce((sum, one) => sum + one, 0) });

/**
 * Cache of distributions without ties, which depend on the numbers of samples only.
 * @type {Map<string, Distribution>}
 */
const untied = new Map();

/** @param {string} key @param {() => Distribution} make */
function cached(key, make) {
  const found = untied.get(key) ?? make();
  untied.set(key, found);
  return found;
}

/** @param {number} n @param {number} all */
const untiedRankSums = (n, all) => cached(`${n} of ${all}`, () => rankSums(upTo(all), n));

/** @param {number} n */
const untiedSignedSums = (n) => cached(`signs of ${n}`, () => subsetSums(upTo(n)));

/** @param {number} n @returns {number[]} 1..n */
const upTo = (n) => Array.from({ length: n }, (_, i) => i + 1);

/** @param {number[]} values */
const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);

/**
 * Returns the probability that a normal value is at least z standard deviations away from the mean.
 * @param {number} z 0..
 */
export const twoSided = (z) => (z <= 0 ? 1 : erfc(z / Math.SQRT2));

/** @param {number} z */
const upperTail = (z) => (z >= 0 ? erfc(z / Math.SQRT2) / 2 : 1 - erfc(-z / Math.SQRT2) / 2);

/** Returns the value that a standard normal variable exceeds with a probability. @param {number} tail 0..0.5 */
export function normalQuantile(tail) {
  let [low, high] = [0, 40];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (upperTail(middle) > tail) low = middle;
    else high = middle;
  }
  return low;
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
