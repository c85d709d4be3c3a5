/**
 * Runs bumper and times its ticks. When all ticks are done, its frame has the figures of FIGURES; before that, it is
 * empty.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import bumper from '../../../app/games/bumper.js';
import { summarize } from './summarize.js';

/** The first ticks are not measured: the code is not compiled yet. */
const SKIPPED_TICKS = 100;
/** Numbers of the frame. */
export const FIGURES = /** @type {const} */ ([
  'tick_p50',
  'tick_p999',
  'tick_p999_no_gc',
  'gc',
  'gc_in_ticks',
  'gap_p999',
  'cpu',
]);
/** Compilers that stop the ticks or run beside them. */
const OPTIMIZING_COMPILERS = ['--no-opt', '--no-maglev'];

/**
 * @typedef {ReturnType<typeof bumper.start>} Job
 *
 * @typedef {object} Options
 * @property {any} game options of bumper
 * @property {number} [ticks] number of measured ticks; undefined in a rehearsal, which measures nothing
 * @property {boolean} [noOptimizer] switches V8's optimizing compilers off in this process
 */

export default {
  /** @param {any} options */
  sizes: ({ game }) => ({ ...bumper.sizes(game), frameBytes: FIGURES.length * 8 }),

  rehearsalOptions: (/** @type {number} */ number) => ({ game: bumper.rehearsalOptions(number) }),

  /** @param {any} options @returns {any} */
  start(options) {
    const { game, ticks: wanted, noOptimizer } = /** @type {Options} */ (options);
    if (noOptimizer) OPTIMIZING_COMPILERS.forEach((flag) => setFlagsFromString(flag));
    let job = bumper.start(game);
    const frame = new Uint8Array(bumper.sizes(game).frameBytes);
    const count = wanted ?? 0;
    const began = new Float64Array(count);
    const ended = new Float64Array(count);
    const collections = wanted === undefined ? [] : recordCollections();
    let cpuBefore = process.cpuUsage();
    let ticks = -SKIPPED_TICKS;
    /** @type {Float64Array | undefined} */
    let figures;
    return {
      done: false,
      /** @param {(slot: number) => number} readWord @param {(slot: number) => number} readSequence */
      step(readWord, readSequence) {
        const start = performance.now();
        if (job.done) job = bumper.start(game);
        job.step(readWord, readSequence);
        job.writeFrame(frame);
        if (ticks === 0) cpuBefore = process.cpuUsage();
        if (ticks >= 0 && ticks < count) {
          began[ticks] = start;
          ended[ticks] = performance.now();
        }
        // A second later, the last collections have been reported.
        if (++ticks === count + SKIPPED_TICKS && count > 0) {
          const { user, system } = process.cpuUsage(cpuBefore);
          const cpu = (user + system) / (count + SKIPPED_TICKS); // microseconds a tick: ms per 1,000 ticks
          const values = { ...summarize(began, ended, collections), cpu };
          figures = Float64Array.from(FIGURES, (name) => values[name]);
        }
      },
      /** @param {Uint8Array} target */
      writeFrame(target) {
        if (!figures) return 0;
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

/**
 * Records the garbage collections of this thread from now on.
 * @returns {import('./summarize.js').Collection[]} grows; times are those of performance.now()
 */
function recordCollections() {
  /** @type {import('./summarize.js').Collection[]} */
  const collections = [];
  // In a child of a zygote, entries count from the start of the zygote, as the time stamps of events do.
  const offsetMs = new Event('now').timeStamp - performance.now();
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      collections.push({ startMs: startTime - offsetMs, durationMs: duration });
  }).observe({ entryTypes: ['gc'] });
  return collections;
}
