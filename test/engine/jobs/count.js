/** A job whose state is a counter and the input it has seen; its frames carry a checksum. */
export const sizes = { inputSlots: 2, frameBytes: 64, checkpointBytes: 16 };

export default {
  /** @param {{doneAt?: number, from?: number} | undefined} options */
  start(options = {}) {
    let count = options.from ?? 0;
    let seen = 0;
    return {
      done: false,
      /** @param {(slot: number) => number} readWord */
      step(readWord) {
        count++;
        seen = readWord(0);
        this.done = count === options.doneAt;
      },
      /** @param {Uint8Array} target */
      writeFrame(target) {
        new DataView(target.buffer, target.byteOffset).setUint32(0, count, true);
        new DataView(target.buffer, target.byteOffset).setInt32(4, seen, true);
        return 8;
      },
      /** @param {Uint8Array} target */
      checkpoint(target) {
        new DataView(target.buffer, target.byteOffset).setUint32(0, count, true);
        return 4;
      },
      /** @param {Uint8Array} source */
      restore(source) {
        count = new DataView(source.buffer, source.byteOffset).getUint32(0, true);
      },
    };
  },
};
