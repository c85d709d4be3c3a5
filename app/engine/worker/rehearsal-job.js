/**
 * A job that does nothing but end, for a worker's code to be run once before it is needed. Now and then
 * it takes too long, as jobs on a busy machine do: to be late is code of its own.
 */
const LATE_TICKS = 25;
const LATE_MS = 4;

export const sizes = { inputSlots: 1, frameBytes: 64, checkpointBytes: 64, inputLogTicks: 8 };

export default {
  /** @param {{ticks: number}} options */
  start({ ticks: last }) {
    let ticks = 0;
    return {
      done: false,
      /** @param {(slot: number) => number} readWord @param {(slot: number) => number} readSequence */
      step(readWord, readSequence) {
        readWord(0);
        readSequence(0);
        this.done = ++ticks >= last;
        if (ticks % LATE_TICKS !== 0) return;
        const until = performance.now() + LATE_MS;
        while (performance.now() < until);
      },
      writeFrame: () => 64,
      checkpoint: () => 64,
      restore() {},
    };
  },
};
