/** A job whose rehearsals do not return. Its matches only count. */
export const sizes = { inputSlots: 0, frameBytes: 0, checkpointBytes: 0 };

export default {
  sizes: () => sizes,
  rehearsalOptions: () => ({ endless: true }),

  /** @param {{endless?: boolean}} options */
  start({ endless = false }) {
    let ticks = 0;
    return {
      step() {
        ticks++;
        while (endless && ticks === 5);
      },
      writeFrame: () => 0,
      checkpoint: () => 0,
      restore() {},
    };
  },
};
