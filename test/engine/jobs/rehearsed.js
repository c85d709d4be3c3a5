/**
 * Tells in its frame what it was started with, how many ticks it has done, how many ticks other jobs
 * in this process have done before, and how often the event was emitted. `fail`: a job of that seed
 * throws at its third tick.
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
