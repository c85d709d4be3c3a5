/**
 * Delay before the next attempt to connect: exponential backoff with jitter, so that eight phones do not
 * reconnect in the same millisecond after the TV has restarted.
 */

export const BACKOFF = Object.freeze({ firstMs: 250, maxMs: 5000 });

/**
 * Computes the delay.
 * @param {number} attempt 0 for the first attempt after the connection was lost
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
