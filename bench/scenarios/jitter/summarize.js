/** Computes figures of ticks, with and without the garbage collections that fall into them. */
import { quantile } from 'simple-statistics';

/** @typedef {{startMs: number, durationMs: number}} Collection */

const TICKS_PER_KILOTICK = 1000;

/**
 * Computes the figures, ms. `gc` is the time of all collections in the measured period, for 1,000 ticks, and
 * `gc_in_ticks` of those that fall into ticks.
 * @param {Float64Array} began of each tick, ms, ascending @param {Float64Array} ended
 * @param {Collection[]} collections
 */
export function summarize(began, ended, collections) {
  const ticks = Array.from(began, (start, i) => ended[i] - start);
  const gaps = Array.from(began.subarray(1), (start, i) => start - began[i]);
  const inTicks = Array.from(began, (start, i) => overlapMs(start, ended[i], collections));
  const others = ticks.map((ms, i) => ms - inTicks[i]);
  const perKilotick = (/** @type {number} */ ms) => (ms / ticks.length) * TICKS_PER_KILOTICK;
  return {
    tick_p50: quantile(ticks, 0.5),
    tick_p999: quantile(ticks, 0.999),
    tick_p999_no_gc: quantile(others, 0.999),
    gc: perKilotick(overlapMs(began[0], ended[ended.length - 1], collections)),
    gc_in_ticks: perKilotick(inTicks.reduce((sum, ms) => sum + ms, 0)),
    gap_p999: quantile(gaps, 0.999),
  };
}

/**
 * Adds up the parts of collections within a period.
 * @param {number} start @param {number} end @param {Collection[]} collections
 */
function overlapMs(start, end, collections) {
  let sum = 0;
  for (const { startMs, durationMs } of collections) {
    sum += Math.max(0, Math.min(end, startMs + durationMs) - Math.max(start, startMs));
  }
  return sum;
}
