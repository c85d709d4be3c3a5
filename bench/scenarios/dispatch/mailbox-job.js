/**
 * A worker of one of pitv's engines that answers tasks. The payload of a task is in the words of all input slots, and
 * the sequence number of the last slot counts the tasks. The answer is a frame with that number and the same payload.
 */
const HEAD_BYTES = 4;

export default {
  /** @param {{bytes: number, inputSlots: number}} options bytes: size of a payload */
  start({ bytes, inputSlots }) {
    const words = new Int32Array(inputSlots);
    const answer = new Uint8Array(words.buffer, 0, bytes);
    let task = 0;
    return {
      /** @param {(slot: number) => number} readWord @param {(slot: number) => number} readSequence */
      step(readWord, readSequence) {
        const newest = readSequence(inputSlots - 1);
        if (newest === task) return;
        task = newest;
        for (let slot = 0; slot < inputSlots; slot++) words[slot] = readWord(slot);
      },
      /** @param {Uint8Array} target */
      writeFrame(target) {
        const head = new Uint32Array(target.buffer, target.byteOffset, 1);
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
