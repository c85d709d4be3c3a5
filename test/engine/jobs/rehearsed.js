/**
 * A job whose frame holds its seed, its ticks, the earlier ticks of other jobs in this process, and the number of
 * 'rehearsed' events. A job with the seed `fail` throws at its third tick.
 */
export const sizes = { inputSlots: 0, frameBytes: 16, checkpointBytes: 0 };

let othersTicks = 0;
let events = 0;
process.on(/** @type {any} */ ('rehearsed'), () => events++);

export default {
  /** @param {{seed: number, fail?: number}} options */
  start({ seed, fail }) {
    const others = othersTicks;
    let ticks = 0;
    return {
      step() {
        if (seed === fail && ticks === 2) throw new Error('it fails');
        ticks++;
        othersTicks++;
      },
      /** @param {Uint8Array} target */
      writeFrame(target) {
        new Uint32Array(target.buffer, target.byteOffset, 4).set([seed, ticks, others, events]);
        return 16;
      },
      checkpoint: () => 0,
      restore() {},
    };
  },
};
