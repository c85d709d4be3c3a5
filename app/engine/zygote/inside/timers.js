/**
 * Node's timers, run in the zygote: a child that waits for something would else compile their code for
 * itself. They must be kept busy until garbage has been collected for the last time: V8 drops what it
 * has compiled for lists of timers when those are gone.
 */

/** So many of each, ms: each duration has a list of its own. A job at 60 Hz waits up to 17 ms. */
const DURATIONS = Array.from({ length: 18 }, (_, i) => i + 1);
const OF_EACH = 3;
/** Most timers begin again; one of so many ends, and another one takes its place later. */
const ENDS = 5;

/**
 * Starts timers that go on until somebody clears them all.
 * @returns {(calls: number) => Promise<void>} resolves when so many more have been due
 */
export function keepTimersBusy() {
  let left = 0;
  let resolve = () => {};
  /** @param {number} durationMs */
  function start(durationMs) {
    const timer = setTimeout(() => {
      left--;
      if (left % ENDS === 0) setImmediate(start, durationMs);
      else timer.refresh();
      if (left === 0) resolve();
    }, durationMs);
  }
  for (const durationMs of DURATIONS) {
    for (let i = 0; i < OF_EACH; i++) start(durationMs);
  }
  return (calls) =>
    new Promise((done) => {
      left = calls;
      resolve = done;
    });
}
