/** A job with frames and checkpoints of the requested lengths, whether they fit or not. */
export const sizes = { inputSlots: 0, frameBytes: 64, checkpointBytes: 0 };

export default {
  /** @param {{bytes: number, checkpointBytes?: number}} options */
  start({ bytes, checkpointBytes = 0 }) {
    return {
      step() {},
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
