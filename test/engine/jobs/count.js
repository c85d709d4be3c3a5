/** A job whose state is a counter and the input it has seen. It may say that frames and checkpoints are longer. */
export const sizes = { inputSlots: 2, frameBytes: 64, checkpointBytes: 16 };

/** @param {Uint8Array} bytes */
const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export default {
  /** @param {{doneAt?: number, from?: number, frameBytes?: number, checkpointBytes?: number}} options */
  start({ doneAt, from = 0, frameBytes = 8, checkpointBytes = 4 } = {}) {
    let count = from;
    let seen = 0;
    return {
      done: false,
      /** @param {(slot: number) => number} readWord */
      step(readWord) {
        count++;
        seen = readWord(0);
        this.done = count === doneAt;
      },
      /** @param {Uint8Array} target */
      writeFrame(target) {
        viewOf(target).setUint32(0, count, true);
        viewOf(target).setInt32(4, seen, true);
        return frameBytes;
      },
      /** @param {Uint8Array} target */
      checkpoint(target) {
        viewOf(target).setUint32(0, count, true);
        return checkpointBytes;
      },
      /** @param {Uint8Array} source */
      restore(source) {
        count = viewOf(source).getUint32(0, true);
      },
    };
  },
};
