/**
 * All overlapping pairs of n moving circles, about one pair a body: the kernel of pitv against
 * libraries, and against the same algorithm in C. All circles are equal, which suits the libraries
 * that index points best.
 */
import { makeCloud } from './cloud.js';
import { VARIANTS } from './libraries.js';

const SIZES = [1000, 5000, 20_000];
/** Frames whose pairs are added up and compared. */
const CHECKED_FRAMES = 20;
/** How long to run until the compilers are done, and then while measuring. */
const PHASES_MS = { warm: 1500, measure: 500 };
const PHASES_QUICK_MS = { warm: 400, measure: 150 };
/** Slow variants take longer for these. */
const MIN_FRAMES = 3;

/** Why a variant may find other pairs; all others must find the same. */
const REASONS = /** @type {Record<string, string>} */ ({
  'rapier-simd': 'it computes in float32',
  'matter-js': 'its circles are polygons',
});

/** @param {number} milliseconds @param {() => number} frame @returns {number} frames done */
function runFor(milliseconds, frame) {
  const end = performance.now() + milliseconds;
  let frames = 0;
  while (frames < MIN_FRAMES || performance.now() < end) {
    frame();
    frames++;
  }
  return frames;
}

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'collision',
  title: 'All overlapping pairs of n moving circles, CPU time a frame',
  metrics: [{ name: 'frame', unit: 'ms' }],
  reference: 'pitv',

  configurations: () =>
    SIZES.flatMap((n) => Object.keys(VARIANTS).map((variant) => ({ variant, n }))),

  async sample({ variant, n }, { round, quick }) {
    const frame = await VARIANTS[variant](makeCloud(Number(n), round + 1));
    let pairs = 0;
    for (let i = 0; i < CHECKED_FRAMES; i++) pairs += frame();
    const phases = quick ? PHASES_QUICK_MS : PHASES_MS;
    runFor(phases.warm, frame);
    const before = process.cpuUsage();
    const frames = runFor(phases.measure, frame);
    const { user, system } = process.cpuUsage(before);
    return { metrics: { frame: (user + system) / 1000 / frames }, facts: { pairs } };
  },

  notes(samples) {
    const notes = [];
    for (const n of SIZES) {
      for (const variant of Object.keys(VARIANTS)) {
        const differences = [];
        for (const sample of samples) {
          if (sample.configuration.n !== n || sample.configuration.variant !== variant) continue;
          const pitv = samples.find(
            ({ configuration, round }) =>
              configuration.n === n && configuration.variant === 'pitv' && round === sample.round,
          );
          if (pitv) differences.push(sample.facts.pairs / pitv.facts.pairs - 1);
        }
        if (differences.every((difference) => difference === 0)) continue;
        const mean =
          differences.reduce((sum, difference) => sum + difference, 0) / differences.length;
        const percent = `${mean < 0 ? '' : '+'}${Number((mean * 100).toPrecision(2))} %`;
        const why = REASONS[variant] ?? 'WRONG: it must find the same';
        notes.push(`n = ${n}: ${variant} finds ${percent} pairs (${why})`);
      }
    }
    return notes;
  },
};
