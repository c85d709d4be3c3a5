/** Waits for conditions, reads the clock that all processes share, and collects what has to be ended. */

/** Reads the monotonic clock, which is the same in every process. @returns {number} ms */
export const now = () => Number(process.hrtime.bigint()) / 1e6;

/**
 * Polls a condition until its result is truthy, or the time is over.
 * @param {() => unknown} condition @param {number} timeoutMs @param {number} [everyMs]
 * @returns {Promise<any>} the last result
 */
export async function poll(condition, timeoutMs, everyMs = 10) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value || performance.now() > deadline) return value;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Collects what has to be ended, as the context of a test does. Its close() ends everything, the newest first. */
export function openScope() {
  /** @type {(() => unknown)[]} */
  const ends = [];
  /** @type {Promise<void> | undefined} */
  let closing;
  const closeAll = async () => {
    for (let end; (end = ends.pop());) await end();
  };
  return {
    after: (/** @type {() => unknown} */ end) => void ends.push(end),
    close: () => (closing ??= closeAll()),
  };
}
