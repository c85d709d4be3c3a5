/**
 * A minimal job that only counts its ticks. It runs in rehearsals and in the test of an engine. Some of its ticks take
 * too long, so that the code for late ticks runs as well.
 */
const LATE_TICKS = 25;
const LATE_MS = 4;

export const sizes = { inputSlots: 1, frameBytes: 64, checkpointBytes: 64 };

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
