/** A job that counts to 9. */
export default {
  start() {
    return {
      count: 0,
      done: false,
      step() {
        this.done = ++this.count === 9;
      },
      /** @param {Uint8Array} target */
      writeFrame(target) {
        target[0] = this.count;
        return 1;
      },
      checkpoint: () => 0,
      restore() {},
    };
  },
};
