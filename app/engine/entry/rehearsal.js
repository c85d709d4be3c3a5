/** A job that does nothing but end, for a worker's code to be run once before it is needed. */
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
      },
      writeFrame: () => 64,
      checkpoint: () => 64,
      restore() {},
    };
  },
};
