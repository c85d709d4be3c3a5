/**
 * A worker of one of pitv's engines that answers tasks: the first input counts them, the answer is a
 * frame that begins with the number of its task.
 */
const TASK_SLOT = 0;
const HEAD_BYTES = 4;

export default {
  /** @param {{bytes: number}} options of an answer */
  start({ bytes }) {
    const answer = new Uint8Array(bytes).fill(7);
    let task = 0;
    return {
      /** @param {(slot: number) => number} readWord */
      step(readWord) {
        task = readWord(TASK_SLOT);
      },
      /** @param {Uint8Array} target */
      writeFrame(target) {
        const head = new Int32Array(target.buffer, target.byteOffset, 1);
        if (head[0] === task) return HEAD_BYTES + bytes;
        head[0] = task;
        target.set(answer, HEAD_BYTES);
        return HEAD_BYTES + bytes;
      },
      checkpoint: () => 0,
      restore() {},
    };
  },
};
