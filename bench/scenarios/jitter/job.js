/** A game whose ticks are timed: its frame is four numbers, in ms (see the scenario `jitter`). */
import { createHistogram } from 'node:perf_hooks';
import bumper from '../../../app/games/bumper.js';

const NANOSECONDS = 1e6;
/** The first ticks are a start, and no play. */
const SKIPPED_TICKS = 100;
export const FIGURES = 4;

/** @typedef {ReturnType<typeof bumper.start>} Job */

export default {
  /** @param {any} options */
  sizes: (options) => ({ ...bumper.sizes(options), frameBytes: FIGURES * 8 }),

  rehearsalOptions: bumper.rehearsalOptions,

  /** @param {any} options */
  start(options) {
    let job = bumper.start(options);
    const frame = new Uint8Array(bumper.sizes(options).frameBytes);
    const steps = createHistogram();
    const gaps = createHistogram();
    const figures = new Float64Array(FIGURES);
    let ticks = 0;
    let last = 0;
    return {
      done: false,
      /** @param {(slot: number) => number} readWord @param {(slot: number) => number} readSequence */
      step(readWord, readSequence) {
        const began = performance.now();
        if (job.done) job = bumper.start(options);
        job.step(readWord, readSequence);
        job.writeFrame(frame);
        const ended = performance.now();
        if (++ticks > SKIPPED_TICKS) {
          steps.record(Math.max(1, Math.round((ended - began) * NANOSECONDS)));
          gaps.record(Math.max(1, Math.round((began - last) * NANOSECONDS)));
        }
        last = began;
      },
      /** @param {Uint8Array} target */
      writeFrame(target) {
        if (ticks % SKIPPED_TICKS === 0) {
          figures[0] = steps.percentile(50) / NANOSECONDS;
          figures[1] = steps.percentile(99.9) / NANOSECONDS;
          figures[2] = gaps.percentile(99.9) / NANOSECONDS;
          figures[3] = ticks;
        }
        target.set(new Uint8Array(figures.buffer));
        return figures.byteLength;
      },
      /** @param {Uint8Array} target */
      checkpoint: (target) => job.checkpoint(target),
      /** @param {Uint8Array} source */
      restore: (source) => job.restore(source),
    };
  },
};
