/** @type {Uint8Array[]} */
const kept = [];

export default {
  /** @param {{bytes: number}} options */
  start({ bytes }) {
    kept.push(new Uint8Array(bytes).fill(1)); // written to, or the kernel gives no memory for it
    return { step() {}, writeFrame: () => 0, checkpoint: () => 0, restore() {} };
  },
};
