/** Compares runs that should be the same, and finds memory that grows. */

/** @typedef {import('./result.js').Result} Result */

/**
 * Finds the first tick in which the hashes of two results differ.
 * @param {number[]} seeds of the runs, in order
 * @param {Pick<Result, 'ticks' | 'hashes'>} p @param {Pick<Result, 'ticks' | 'hashes'>} q
 * @param {number} [first] tick with which the comparison begins
 * @returns {import('./result.js').Difference | undefined}
 */
export function firstDifference(seeds, p, q, first = 1) {
  const ticks = Math.min(p.ticks, q.ticks);
  for (const [i, seed] of seeds.entries()) {
    const [mine, theirs] = [p.hashes[i], q.hashes[i]];
    for (let /** @type {number} */ tick = first; tick <= ticks; tick++) {
      const state = 2 * (tick - 1);
      if (mine?.[state] !== theirs?.[state]) return { seed, tick, part: 'state' };
      if (mine?.[state + 1] !== theirs?.[state + 1]) return { seed, tick, part: 'frame' };
    }
  }
  return undefined;
}

/** The first part of a run, in which code is compiled, does not count. */
const WARM_UP = 1 / 3;
/** Growth below this is noise: V8 itself allocates now and then, and compiles code in the first thousands of ticks. */
const NOISE_BYTES = 128 * 1024;
const EARLY_NOISE_BYTES = 1024 * 1024;
const EARLY_TICKS = 2000;
const MIN_SAMPLES = 9;

/**
 * Finds out whether a heap grows: compares the first and the second half of the samples after the warm-up.
 * @param {{tick: number, bytes: number}[]} samples after collections of garbage
 * @returns {{bytes: number, ticks: number, grows: boolean} | undefined} growth between the middles of the halves;
 *   undefined if there are too few samples
 */
export function findGrowth(samples) {
  const kept = samples.slice(Math.floor(samples.length * WARM_UP));
  if (kept.length < MIN_SAMPLES) return undefined;
  const half = Math.floor(kept.length / 2);
  const [early, late] = [kept.slice(0, half), kept.slice(-half)];
  const bytes = median(late.map((each) => each.bytes)) - median(early.map((each) => each.bytes));
  const ticks = median(late.map(({ tick }) => tick)) - median(early.map(({ tick }) => tick));
  return { bytes, ticks, grows: bytes > (ticks < EARLY_TICKS ? EARLY_NOISE_BYTES : NOISE_BYTES) };
}

/** @param {number[]} values at least one */
const median = (values) => [...values].sort((p, q) => p - q)[values.length >> 1];
