/** Computes how old the newest frame of a screen is, over time. */
import { quantile } from 'simple-statistics';

/**
 * Lists the age of the newest frame that a screen has, at regular times from its first frame to its last one. A frame
 * without a time of birth counts as not received.
 * @param {number[][]} arrivals tick and arrival of each frame, ms, in the order of arrival
 * @param {Map<number, number>} births by tick: when the frame was there, ms on the same clock
 * @param {number} stepMs time between two ages
 * @returns {number[]} ms
 */
export function agesOf(arrivals, births, stepMs) {
  const known = arrivals.flatMap(([tick, at]) => {
    const born = births.get(tick);
    return born === undefined ? [] : [{ at, born }];
  });
  const ages = [];
  let newest = -Infinity;
  let time = known[0]?.at ?? 0;
  for (let i = 0; i < known.length - 1; i++) {
    newest = Math.max(newest, known[i].born);
    for (; time < known[i + 1].at; time += stepMs) ages.push(time - newest);
  }
  return ages;
}

/**
 * Tells how much the ages rise.
 * @param {number[][]} ages of each screen, in the order of time
 * @returns {number} the median of all second halves minus that of all first halves, ms
 */
export function riseOf(ages) {
  const half = (/** @type {number[]} */ one) => Math.floor(one.length / 2);
  const first = ages.flatMap((one) => one.slice(0, half(one)));
  const second = ages.flatMap((one) => one.slice(half(one)));
  return quantile(second, 0.5) - quantile(first, 0.5);
}
