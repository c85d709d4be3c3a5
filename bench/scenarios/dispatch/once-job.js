/** A worker for one task: writes its payload as a frame, then ends. */
export default {
  /** @param {{payload: Uint8Array | null}} options */
  start({ payload }) {
    return {
      done: true,
      step() {},
      /** @param {Uint8Array} target */
      writeFrame(target) {
        if (payload) target.set(payload);
        return payload?.length ?? 0;
      },
      checkpoint: () => 0,
      restore() {},
    };
  },
};
