/**
 * Compares two series of samples by the ratio of their values. An interval contains the ratios that rank tests do not
 * reject (Hollander and Wolfe, "Nonparametric Statistical Methods", sections 3.3 and 4.3): the Mann-Whitney test and,
 * for pairs, Wilcoxon's signed-rank test, too. They are exact; with ties, the intervals are a little too wide.
 * test/bench/stats compares them with SciPy.
 */
import { medianSorted } from 'simple-statistics';

/** @typedef {import('./stats.js').Interval} Interval */

/** The probability that a ratio is above its interval of 95 %, and that it is below. */
const TAIL_95 = 0.025;

/**
 * @typedef {object} RankTest
 * @property {Float64Array} shifts estimates of the shift between two series, sorted
 * @property {(tail: number) => number} critical how many of them at each end are less likely than the tail; negative:
 *   none, because there are too few samples
 */

/**
 * Makes the Mann-Whitney test. It suits independent samples, and needs few of them.
 * @param {number[]} a @param {number[]} b @returns {RankTest}
 */
export function mannWhitney(a, b) {
  const n = a.length;
  const least = (n * (n + 1)) / 2;
  return {
    shifts: Float64Array.from(a.flatMap((x) => b.map((y) => x - y))).sort(),
    critical: (tail) => criticalSum(rankSums(n, n + b.length), tail) - least,
  };
}

/**
 * Makes Wilcoxon's signed-rank test, which ignores the noise that both samples of a pair have.
 * @param {number[]} differences @returns {RankTest}
 */
export function signedRank(differences) {
  const means = differences.flatMap((x, i) => differences.slice(i).map((y) => (x + y) / 2));
  return {
    shifts: Float64Array.from(means).sort(),
    critical: (tail) => criticalSum(subsetSums(differences.length), tail),
  };
}

/** Returns the shifts that a test does not reject. @param {RankTest} test @param {number} tail @returns {Interval} */
export function intervalOf({ shifts, critical }, tail) {
  const at = critical(tail);
  return at < 0 ? [-Infinity, Infinity] : [shifts[at], shifts[shifts.length - 1 - at]];
}

/**
 * @typedef {'yes' | 'no' | 'cannot say'} Verdict whether there is a difference
 *
 * @typedef {object} Ratio
 * @property {number} ratio of a to b: the median of all estimates (Hodges and Lehmann 1963)
 * @property {Interval} ci95 with too few samples, the range of the estimates
 * @property {Verdict} verdict "no": the ratio is within the margin (two one-sided tests; Schuirmann 1987)
 */

/**
 * Compares two series. Pairs are tested by both tests, each at half of the level.
 * @param {number[]} a @param {number[]} b
 * @param {object} options
 * @param {boolean} options.paired a[i] and b[i] were taken in the same round
 * @param {number} options.margin percent; the ratio of equal series is between 1 / (1 + margin) and 1 + margin
 * @param {number} options.level of both claims, "different" and "equal"
 * @returns {Ratio | undefined} undefined: there are no samples, or one is not above 0
 */
export function compareSeries(a, b, { paired, margin, level }) {
  if (a.length * b.length === 0 || Math.min(...a, ...b) <= 0) return undefined;
  const [logsA, logsB] = [a.map(Math.log), b.map(Math.log)];
  const tests = [mannWhitney(logsA, logsB)];
  if (paired) tests.unshift(signedRank(logsA.map((value, i) => value - logsB[i])));
  /** The shifts that no test rejects. @param {number} tail */
  const common = (tail) => {
    const all = tests.map((test) => intervalOf(test, tail / tests.length));
    return [Math.max(...all.map(([low]) => low)), Math.min(...all.map(([, high]) => high))];
  };
  const [low, high] = common(level / 2);
  const limit = Math.log(1 + margin / 100);
  /** @type {Verdict} */
  let verdict = 'cannot say';
  if (low > 0 || high < 0) verdict = 'yes';
  else if (common(level).every((end) => Math.abs(end) < limit)) verdict = 'no';
  const { shifts } = tests[0];
  const ends = common(TAIL_95);
  const shown = ends.every(Number.isFinite) ? ends : [shifts[0], shifts[shifts.length - 1]];
  return {
    ratio: Math.exp(medianSorted(/** @type {any} */ (shifts))),
    ci95: [Math.exp(shown[0]), Math.exp(shown[1])],
    verdict,
  };
}

/**
 * Returns the largest sum with a lower tail of at most this one, or -Infinity.
 * @param {Float64Array} counts number of equally likely cases by sum @param {number} tail
 */
function criticalSum(counts, tail) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  let critical = -Infinity;
  for (let sum = 0; sum < counts.length; sum++) {
    below += counts[sum];
    if (below / total > tail) break;
    if (below > 0) critical = sum;
  }
  return critical;
}

/** Numbers of cases by sum, which depend on the numbers of samples only. @type {Map<string, Float64Array>} */
const counted = new Map();

/**
 * Counts the ways to draw n of the ranks 1 to `all`, by their sum: the shift algorithm of Streitberg and Röhmel (1986),
 * one rank at a time.
 * @param {number} n @param {number} all
 */
function rankSums(n, all) {
  const found = counted.get(`${n} of ${all}`);
  if (found) return found;
  const width = (all * (all + 1)) / 2 + 1;
  /** ways[k * width + s]: to draw k of the ranks seen so far with the sum s */
  const ways = new Float64Array((n + 1) * width);
  ways[0] = 1;
  for (let rank = 1; rank <= all; rank++) {
    const most = (rank * (rank + 1)) / 2;
    for (let k = Math.min(n, rank); k > 0; k--) {
      const [to, from] = [k * width, (k - 1) * width - rank];
      for (let s = rank; s <= most; s++) ways[to + s] += ways[from + s];
    }
  }
  const counts = ways.slice(n * width);
  counted.set(`${n} of ${all}`, counts);
  return counts;
}

/** Counts the subsets of the ranks 1 to n, by their sum. @param {number} n */
function subsetSums(n) {
  const ways = new Float64Array((n * (n + 1)) / 2 + 1);
  ways[0] = 1;
  for (let rank = 1; rank <= n; rank++) {
    for (let s = ways.length - 1; s >= rank; s--) ways[s] += ways[s - rank];
  }
  return ways;
}
