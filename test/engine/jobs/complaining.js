/** A job that warns in each of its ticks. */
export const sizes = { inputSlots: 0, frameBytes: 0, checkpointBytes: 0 };

export default {
  start() {
    let ticks = 0;
    return {
      step: () => void ticks++,
      takeWarning: () => `tick ${ticks} is bad`,
      writeFrame: () => 0,
      checkpoint: () => 0,
      restore() {},
    };
  },
};
