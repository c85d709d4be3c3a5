/**
 * A job whose rehearsals fail, but not its matches. `?throw`: run 50 throws; `?differ`: the frame counts the starts, in
 * a variable of the module; `?loop`: the fifth tick does not return. Unknown options are an error.
 */
export const sizes = { inputSlots: 0, frameBytes: 64, checkpointBytes: 0 };

const how = new URL(import.meta.url).search;
let starts = 0;

export default {
  sizes: () => sizes,
  /** @param {number} run */
  rehearsalOptions: (run) => ({ run }),

  /** @param {{run?: number} & Record<string, unknown>} options */
  start({ run = 0, ...extra }) {
    if (Object.keys(extra).length > 0) throw new TypeError(`no option ${Object.keys(extra)}`);
    const own = ++starts;
    let ticks = 0;
    return {
      step() {
        ticks++;
        if (how === '?throw' && run === 50) throw new RangeError('run 50 fails');
        while (how === '?loop' && run > 0 && ticks === 5);
      },
      /** @param {Uint8Array} target */
      writeFrame(target) {
        target[0] = how === '?differ' ? own : 1;
        return 1;
      },
    };
  },
};
