/** A job that counts its starts in a variable of the module, and shows the count. */
export const sizes = { inputSlots: 0, frameBytes: 64, checkpointBytes: 0 };

let starts = 0;

export default {
  sizes: () => sizes,
  rehearsalOptions: () => ({}),
  start() {
    const own = ++starts;
    return {
      step() {},
      /** @param {Uint8Array} target */
      writeFrame(target) {
        target[0] = own;
        return 1;
      },
      checkpoint: () => 0,
      restore() {},
    };
  },
};
