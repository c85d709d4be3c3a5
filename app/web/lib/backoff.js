/**
 * How long to wait before the next attempt to connect: doubling, with jitter, so that eight phones
 * do not come back in the same millisecond after the TV was restarted.
 */

export const BACKOFF = Object.freeze({ firstMs: 250, maxMs: 5000 });

/**
 * @param {number} attempt 0 = the first one after a loss
 * @param {{firstMs?: number, maxMs?: number, random?: () => number}} [options]
 * @returns {number} milliseconds, between half of the step and the step
 */
export function backoffMs(
  attempt,
  { firstMs = BACKOFF.firstMs, maxMs = BACKOFF.maxMs, random = Math.random } = {},
) {
  const step = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 16));
  return step / 2 + (step / 2) * random();
}
