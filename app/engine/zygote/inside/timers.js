// NOTE TO WHOEVER WRITES THIS FILE (remove it when done): on a machine at load 25, six zygotes of
// tv.test.js stood in here for over ten minutes, 76 s of CPU each, no system call, never ready: when the
// process gets little CPU, timers of 1-8 ms that refresh themselves are always due again, so Node's
// processTimers() never returns to the loop and no setImmediate ever runs. A Pi is such a machine.
// Bound it by calls, not by time (each timer ends by itself after N calls), and bound the whole warm-up.
// It also made the full warm-up 17 s instead of 2 s under load.
/**
 * Node's timers, run in the zygote: a child that waits for something would else compile their code for
 * itself. They must be kept busy until garbage has been collected for the last time: V8 drops what it
 * has compiled for lists of timers when those are gone.
 */

/** So many of each, ms: each duration has a list of its own. */
const DURATIONS = [1, 2, 3, 4, 5, 6, 7, 8];
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
