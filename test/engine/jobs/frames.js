/**
 * A job with frames and checkpoints of the requested lengths, whether they fit or not. Unknown options are an error.
 */
export const sizes = { inputSlots: 0, frameBytes: 64, checkpointBytes: 0 };

export default {
  sizes: () => sizes,
  /** @param {number} run */
  rehearsalOptions: (run) => ({ bytes: run }),

  /** @param {{bytes: number, checkpointBytes?: number} & Record<string, unknown>} options */
  start({ bytes, checkpointBytes = 0, ...extra }) {
    if (Object.keys(extra).length > 0) throw new TypeError(`no option ${Object.keys(extra)}`);
    return {
      step() {
        if (bytes === 50) throw new RangeError('run 50 fails');
      },
      /** @param {Uint8Array} target */
      writeFrame(target) {
        target.fill(1);
        return bytes;
      },
      checkpoint: () => checkpointBytes,
      restore() {},
    };
  },
};
