/** Compares runs and states that should be the same, and finds memory that grows. */

/** @typedef {import('./result.js').Result} Result */
/** @typedef {import('./result.js').Field} Field */

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

const HEADER = "the world's random numbers, tick or number of bodies";
const OTHER = 'the events or the phase of the match';

/**
 * Lists the arrays of a match's state: those of the game first, then those of the flow and of the world.
 * @param {import('../game/define.js').Job} job
 * @returns {Field[]} offset: from the start of a checkpoint
 */
export function stateFields({ flow }) {
  const { world } = flow;
  const { buffer, byteOffset, byteLength } = world.bytes;
  /** @param {string} prefix @param {object} owner */
  const fieldsOf = (prefix, owner) =>
    Object.entries(owner).flatMap(([name, value]) => {
      const inside =
        ArrayBuffer.isView(value) &&
        value.buffer === buffer &&
        value.byteOffset >= byteOffset &&
        value.byteOffset + value.byteLength <= byteOffset + byteLength;
      if (!inside || value === world.bytes || value === world.gameState) return [];
      const { BYTES_PER_ELEMENT: elementBytes, length } = /** @type {Uint8Array} */ (value);
      return [{ name: prefix + name, offset: value.byteOffset - byteOffset, elementBytes, length }];
    });
  const bodies = fieldsOf('world.', world);
  const start = Math.min(byteLength, ...bodies.map(({ offset }) => offset));
  return [
    ...fieldsOf('flow.own.', flow.own),
    ...fieldsOf('flow.', flow).filter(({ name }) => name !== 'flow.head'),
    ...bodies,
    { name: HEADER, offset: 0, elementBytes: start, length: 1 },
  ];
}

/** Fields that a sentence names. */
const MAX_NAMED = 3;

/**
 * Names what differs between two states.
 * @param {Field[]} fields of both @param {Uint8Array} expected @param {Uint8Array} found
 * @returns {string} such as 'flow.own.timer[0] and world.x[3]'
 */
export function nameDifferences(fields, expected, found) {
  const differs = (/** @type {number} */ at) => expected[at] !== found[at];
  const names = fields.flatMap(({ name, offset, elementBytes, length }) => {
    const end = Math.min(offset + elementBytes * length, expected.length);
    for (let at = offset; at < end; at++) {
      if (!differs(at)) continue;
      return length === 1 && elementBytes > 8
        ? [name]
        : [`${name}[${Math.floor((at - offset) / elementBytes)}]`];
    }
    return [];
  });
  if (names.length === 0) return OTHER;
  const named = names.slice(0, MAX_NAMED);
  return [named.slice(0, -1).join(', '), named.at(-1)].filter(Boolean).join(' and ');
}
