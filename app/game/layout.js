/**
 * The layout of a world's memory. The first part is state: a checkpoint is a copy of it. The rest is
 * scratch space that each step rewrites.
 *
 *   reserved   1 KiB   unused (room for a stack of the compiled kernel, which has none now)
 *   state      header 128 B, Float64 x capacity: x y vx vy a b invMass restitution,
 *              Float64 x stateWords: the game's state, Uint8 x capacity: shape kind owner flags angle state
 *   scratch    PARAMETERS for the kernel, the sorted grid, large bodies, pairs, contacts
 */

import { MAX_EVENTS, frameBytes } from './frame.js';

export const SHAPE = Object.freeze({ none: 0, circle: 1, box: 2, segment: 3 });
/** sensor: contacts are reported but push nothing. */
export const FLAG = Object.freeze({ sensor: 1 });

export const MAX_CAPACITY = 65534; // a pair of ids is one 32-bit word
export const STEP_SECONDS = 1 / 60;

const RESERVED_BYTES = 1024;
const MAGIC = 0x776f726c; // 'worl'
const LAYOUT_VERSION = 1;
const HEADER_BYTES = 128;

/** Number of entries past the end that the grid's unrolled tests may read. */
const READ_AHEAD = 4;
/** The memory of views of which only the places are computed. */
const NO_MEMORY = new ArrayBuffer(0);

/** Size of `struct sorted` in kernel.h: float64 x, y and radius of a bounding circle, uint32 id and cell. */
const SORTED_BYTES = 32;

/** Words (uint32) of the state's header. */
export const WORD = Object.freeze({
  magic: 0,
  version: 1,
  capacity: 2,
  stateWords: 3,
  high: 4,
  count: 5,
  lowestFree: 6, // all slots below are in use
  tick: 7,
  random: 8, // 4 words
});
/** Words (float64) of the state's header. */
export const REAL = Object.freeze({ width: 8, height: 9, cellSize: 10 });

/** The kernel's parameters, in the order of `struct parameters` in kernel.h. */
const OFFSETS = /** @type {const} */ ([
  'x',
  'y',
  'vx',
  'vy',
  'a',
  'b',
  'invMass',
  'restitution',
  'shape',
  'flags',
  'cellOf',
  'cellStart',
  'sorted',
  'boundX',
  'boundY',
  'boundR',
  'large',
  'minX',
  'maxX',
  'minY',
  'maxY',
  'pairs',
]);
const FIRST_WORD = OFFSETS.length;
/** Words (uint32) of the parameters. */
export const PARAMETER = Object.freeze({
  maxPairs: FIRST_WORD,
  columns: FIRST_WORD + 1,
  rows: FIRST_WORD + 2,
  dropped: FIRST_WORD + 3, // output: number of pairs beyond maxPairs
});
const FIRST_REAL = Math.ceil((FIRST_WORD + 4) / 2);
/** Words (float64) of the parameters. */
export const PARAMETER_REAL = Object.freeze({
  inverseCell: FIRST_REAL,
  smallRadius: FIRST_REAL + 1, // a body with a larger bounding circle is large
  cellSize: FIRST_REAL + 2,
  width: FIRST_REAL + 3,
  height: FIRST_REAL + 4,
});
const PARAMETER_BYTES = (FIRST_REAL + 5) * 8;

/** Returns the maximum number of cells, with padding, for `capacity` bodies. @param {number} capacity */
export function maxCells(capacity) {
  return 8 * capacity + 4096;
}

/**
 * @typedef {ReturnType<typeof layOut>} Memory views of a world's memory
 *
 * @typedef {object} Sizes
 * @property {number} capacity bodies
 * @property {number} stateWords float64 words of the game's state
 * @property {number} maxContacts
 */

/** Returns the size of a world's memory. @param {Sizes} sizes @returns {number} bytes */
export function memoryBytes(sizes) {
  return layOut(sizes).end;
}

/**
 * @typedef {object} Dimensions what a game declares for some options
 * @property {number} capacity 1..65,534 bodies of its world
 * @property {number} decor 0..65,534 bodies that it only draws
 * @property {number} stateWords float64 words of its state
 */

/**
 * Computes the sizes of the mailbox of a match.
 * @param {Dimensions} dimensions @param {{players: {max: number}, teams?: readonly unknown[]}} game
 * @returns {import('../engine/mailbox/mailbox.js').MailboxSizes}
 */
export function mailboxSizes({ capacity, decor, stateWords }, { players, teams = [] }) {
  return {
    inputSlots: players.max,
    frameBytes: frameBytes(capacity + decor, players.max + teams.length, MAX_EVENTS),
    checkpointBytes: layOut({ capacity, stateWords, maxContacts: 0 }).stateBytes,
  };
}

/**
 * Places the fields one after the other, each at a multiple of 8 bytes.
 * @param {Sizes} sizes
 * @param {ArrayBuffer} [buffer] at least memoryBytes(sizes) long; without it the views are empty, and only the sizes
 *   are computed
 */
function layOut({ capacity, stateWords, maxContacts }, buffer) {
  let start = RESERVED_BYTES;
  let end = start;
  /** Arguments of a view of the last field. @param {number} count @returns {[ArrayBuffer, number, number]} */
  const at = (count) => (buffer ? [buffer, start, count] : [NO_MEMORY, 0, 0]);
  /** @param {number} count @param {number} bytes each */
  const reserve = (count, bytes) => {
    start = end;
    end = Math.ceil((start + count * bytes) / 8) * 8;
    return at(count);
  };
  const reals = (count = capacity) => new Float64Array(...reserve(count, 8));
  const words = (count = capacity) => new Uint32Array(...reserve(count, 4));
  const ids = () => new Uint16Array(...reserve(maxContacts, 2));
  const bytes = () => new Uint8Array(...reserve(capacity, 1));
  return {
    header: words(HEADER_BYTES / 4),
    headerReals: new Float64Array(...at(HEADER_BYTES / 8)),
    x: reals(),
    y: reals(),
    vx: reals(),
    vy: reals(),
    a: reals(),
    b: reals(),
    invMass: reals(),
    restitution: reals(),
    gameState: reals(stateWords),
    shape: bytes(),
    kind: bytes(),
    owner: bytes(),
    flags: bytes(),
    angle: bytes(),
    state: bytes(),
    stateBytes: end - RESERVED_BYTES,
    /** The whole state. */
    bytes: buffer ? new Uint8Array(buffer, RESERVED_BYTES, end - RESERVED_BYTES) : new Uint8Array(),
    parameters: words(PARAMETER_BYTES / 4),
    parameterReals: new Float64Array(...at(PARAMETER_BYTES / 8)),
    sorted: reals(((capacity + READ_AHEAD) * SORTED_BYTES) / 8),
    boundX: reals(),
    boundY: reals(),
    boundR: reals(),
    cellOf: words(),
    cellStart: words(maxCells(capacity) + 1),
    large: words(),
    minX: reals(),
    maxX: reals(),
    minY: reals(),
    maxY: reals(),
    pairs: words(maxContacts + 1), // one more, because a pair is written before it is known whether it counts
    contactA: ids(),
    contactB: ids(),
    contactNx: reals(maxContacts),
    contactNy: reals(maxContacts),
    contactDepth: reals(maxContacts),
    contactSpeed: reals(maxContacts),
    end,
  };
}

/** Creates the views and writes the constants. @param {ArrayBuffer} buffer zeroed @param {Sizes} sizes */
export function createViews(buffer, sizes) {
  const views = layOut(sizes, buffer);
  OFFSETS.forEach((name, i) => (views.parameters[i] = views[name].byteOffset));
  views.parameters[PARAMETER.maxPairs] = sizes.maxContacts;
  views.header[WORD.magic] = MAGIC;
  views.header[WORD.version] = LAYOUT_VERSION;
  views.header[WORD.capacity] = sizes.capacity;
  views.header[WORD.stateWords] = sizes.stateWords;
  return views;
}
