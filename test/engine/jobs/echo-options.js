/** A job whose frame is JSON: the options of each start() in this process. start() changes its options. */
export const sizes = { inputSlots: 0, frameBytes: 256, checkpointBytes: 0 };

/** @type {string[]} */
const seen = [];

export default {
  /** @param {any} options */
  start(options) {
    seen.push(JSON.stringify(options) ?? 'null');
    options?.list.push(2);
    return {
      step() {},
      /** @param {Uint8Array} target */
      writeFrame: (target) => new TextEncoder().encodeInto(`[${seen}]`, target).written,
      checkpoint: () => 0,
      restore() {},
    };
  },
};
