/**
 * Decides whether samples rise: by a significant trend that is not negligible (Mann-Kendall test), or by growth beyond
 * a bound, significant or not (Theil-Sen slope).
 */
import { median, trend } from '../../bench/stats/stats.js';

/** The p-value below which a trend is significant. */
const SIGNIFICANT = 0.01;
const MS_PER_HOUR = 3_600_000;
/** The least number of samples for a verdict. */
export const MIN_SAMPLES = 10;

/**
 * @typedef {object} Rule both per hour, in the unit of the samples
 * @property {number} negligible a significant trend below this is ignored
 * @property {number} bound growth above this is a problem, significant or not
 */

/**
 * Computes the median of the slopes between all pairs of samples (Sen, "Estimates of the regression
 * coefficient based on Kendall's tau", 1968).
 * @param {number[]} times @param {number[]} values @returns {number} units per unit of time
 */
function theilSen(times, values) {
  const slopes = [];
  for (let i = 0; i < values.length; i++) {
    for (let j = i + 1; j < values.length; j++) {
      if (times[j] !== times[i]) slopes.push((values[j] - values[i]) / (times[j] - times[i]));
    }
  }
  return slopes.length > 0 ? median(slopes) : 0;
}

/** @param {number[]} values @param {number} share 0..1 @returns {number} nearest rank; 0 without values */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/**
 * Judges one series.
 * @param {number[]} times ms @param {number[]} values @param {Rule} rule
 * @returns medians of the first and the last quarter, Theil-Sen slope, Kendall's tau, its two-sided p, and a sentence
 */
export function judge(times, values, { negligible, bound }) {
  const quarter = Math.max(1, Math.floor(values.length / 4));
  const perHour = theilSen(times, values) * MS_PER_HOUR;
  const { tau, p } = trend(values);
  const rises = tau > 0 && p < SIGNIFICANT && perHour > negligible;
  return {
    first: median(values.slice(0, quarter)),
    last: median(values.slice(-quarter)),
    max: values.reduce((most, value) => Math.max(most, value), -Infinity),
    perHour,
    tau,
    p,
    problem: rises
      ? `rises by ${perHour.toFixed(1)} an hour (p ${p.toExponential(1)})`
      : perHour > bound
        ? `grows by ${perHour.toFixed(1)} an hour, more than ${bound}`
        : undefined,
  };
}
