/** A job whose frames are as long as it is told, whatever there is room for; a name in `extra` is an error. */
export const sizes = { inputSlots: 0, frameBytes: 64, checkpointBytes: 0 };

export default {
  sizes: () => sizes,
  /** @param {number} run */
  rehearsalOptions: (run) => ({ bytes: run }),

  /** @param {{bytes: number} & Record<string, unknown>} options */
  start({ bytes, ...extra }) {
    if (Object.keys(extra).length > 0) throw new TypeError(`no option ${Object.keys(extra)}`);
    return {
      step() {
        if (bytes === 50) throw new RangeError('run 50 is not played');
      },
      /** @param {Uint8Array} target */
      writeFrame(target) {
        target.fill(1);
        return bytes;
      },
      checkpoint: () => 0,
      restore() {},
    };
  },
};
