/**
 * Rehearses Node's timers in the zygote, so that a child need not compile their code. The timers must exist until the
 * last garbage collection, since V8 discards code compiled for timer lists once none is left.
 */

/** Durations in ms. Node keeps a list per duration. A job at 60 Hz waits up to 17 ms. */
const DURATIONS = Array.from({ length: 18 }, (_, i) => i + 1);
const TIMERS_PER_DURATION = 3;
/** One in this many calls replaces its timer by a new one; the others refresh it. */
const CALLS_PER_NEW_TIMER = 5;

/**
 * Starts timers that repeat until they are cleared.
 * @returns {(calls: number) => Promise<void>} resolves after this number of further calls
 */
export function startBusyTimers() {
  let left = 0;
  let resolve = () => {};
  /** @param {number} durationMs */
  function start(durationMs) {
    const timer = setTimeout(() => {
      left--;
      if (left % CALLS_PER_NEW_TIMER === 0) setImmediate(start, durationMs);
      else timer.refresh();
      if (left === 0) resolve();
    }, durationMs);
  }
  for (const durationMs of DURATIONS) {
    for (let i = 0; i < TIMERS_PER_DURATION; i++) start(durationMs);
  }
  return (calls) =>
    new Promise((done) => {
      left = calls;
      resolve = done;
    });
}
