/**
 * A job whose frame is JSON: the options of each start() in this process, its ticks, the earlier ticks of other jobs,
 * and the number of 'rehearsed' events. start() changes its options. A job with the seed `fail` throws at its third
 * tick.
 */
export const sizes = { inputSlots: 0, frameBytes: 256, checkpointBytes: 0 };

/** @type {unknown[]} */
const starts = [];
let allTicks = 0;
let events = 0;
process.on(/** @type {any} */ ('rehearsed'), () => events++);

export default {
  /** @param {{seed?: number, fail?: number, list?: number[]} | undefined} options */
  start(options) {
    starts.push(structuredClone(options) ?? null);
    options?.list?.push(2);
    const { seed, fail } = options ?? {};
    const before = allTicks;
    let ticks = 0;
    return {
      step() {
        if (fail !== undefined && seed === fail && ticks === 2) throw new Error('it fails');
        ticks++;
        allTicks++;
      },
      /** @param {Uint8Array} target */
      writeFrame(target) {
        const text = JSON.stringify({ starts, ticks, before, events });
        return new TextEncoder().encodeInto(text, target).written;
      },
    };
  },
};
