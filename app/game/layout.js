/**
 * The layout of a world's memory. The first part is state: a checkpoint is a copy of it. The rest is
 * scratch space that each step rewrites.
 *
 *   reserved   1 KiB   unused (room for a stack of the compiled kernel, which has none now)
 *   state      header 128 B, Float64 x capacity: x y vx vy a b invMass restitution,
 *              Float64 x stateWords: the game's state, Uint8 x capacity: shape kind owner flags angle state
 *   scratch    PARAMETERS for the kernel, the sorted grid, large bodies, pairs, contacts
 */

import { MAX_EVENTS } from './event-ring.js';
import { frameBytes } from './frame.js';

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

/**
 * Size of a small body in the grid: float64 x, y and radius of its bounding circle, uint32 id and cell.
 * `struct sorted` in kernel.h.
 */
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
 * @typedef {ReturnType<typeof createViews>} Memory views of a world's memory
 *
 * @typedef {object} Sizes
 * @property {number} capacity bodies
 * @property {number} stateWords float64 words of the game's state
 * @property {number} maxContacts
 */

/** Returns the size of a world's memory. @param {Sizes} sizes @returns {number} bytes */
export function memoryBytes(sizes) {
  return computeOffsets(sizes).end;
}

/** Returns the size of a checkpoint. @param {Sizes} sizes @returns {number} bytes */
export function stateBytes(sizes) {
  return computeOffsets(sizes).scratch - RESERVED_BYTES;
}

/** Number of ticks whose inputs the mailbox stores, with which a loop in a game is found again: 8.5 s. */
const INPUT_LOG_TICKS = 512;

/**
 * @typedef {object} Dimensions what a game declares for some options
 * @property {number} capacity 1..65,534 bodies of its world
 * @property {number} decor 0..65,534 bodies that it only draws
 * @property {number} stateWords float64 words of its state
 */

/**
 * Computes the sizes of the mailbox of a match.
 * @param {Dimensions} dimensions
 * @param {{players: {max: number}, teams?: readonly unknown[]}} game
 * @returns {import('../engine/mailbox/mailbox.js').MailboxSizes}
 */
export function mailboxSizes({ capacity, decor, stateWords }, { players, teams = [] }) {
  return {
    inputSlots: players.max,
    frameBytes: frameBytes(capacity + decor, players.max + teams.length, MAX_EVENTS),
    checkpointBytes: stateBytes({ capacity, stateWords, maxContacts: 0 }),
    inputLogTicks: INPUT_LOG_TICKS,
  };
}

/** Computes the offset of each field. @param {Sizes} sizes */
function computeOffsets({ capacity, stateWords, maxContacts }) {
  let end = RESERVED_BYTES;
  /** @param {number} count @param {number} bytes each */
  const reserve = (count, bytes) => {
    const start = end;
    end = Math.ceil((start + count * bytes) / 8) * 8;
    return start;
  };
  const reals = () => reserve(capacity, 8);
  const here = () => reserve(0, 1);
  return {
    header: reserve(HEADER_BYTES, 1),
    x: reals(),
    y: reals(),
    vx: reals(),
    vy: reals(),
    a: reals(),
    b: reals(),
    invMass: reals(),
    restitution: reals(),
    gameState: reserve(stateWords, 8),
    shape: reserve(capacity, 1),
    kind: reserve(capacity, 1),
    owner: reserve(capacity, 1),
    flags: reserve(capacity, 1),
    angle: reserve(capacity, 1),
    state: reserve(capacity, 1),
    scratch: here(),
    parameters: reserve(PARAMETER_BYTES, 1),
    sorted: reserve((capacity + READ_AHEAD) * SORTED_BYTES, 1),
    boundX: reals(),
    boundY: reals(),
    boundR: reals(),
    cellOf: reserve(capacity, 4),
    cellStart: reserve(maxCells(capacity) + 1, 4),
    large: reserve(capacity, 4),
    minX: reals(),
    maxX: reals(),
    minY: reals(),
    maxY: reals(),
    pairs: reserve(maxContacts + 1, 4), // one more, because a pair is written before it is known whether it counts
    contactA: reserve(maxContacts, 2),
    contactB: reserve(maxContacts, 2),
    contactNx: reserve(maxContacts, 8),
    contactNy: reserve(maxContacts, 8),
    contactDepth: reserve(maxContacts, 8),
    contactSpeed: reserve(maxContacts, 8),
    end: here(),
  };
}

/**
 * Creates the views and writes the constant fields.
 * @param {ArrayBuffer} buffer zeroed, at least memoryBytes(sizes) long
 * @param {Sizes} sizes
 */
export function createViews(buffer, sizes) {
  const at = computeOffsets(sizes);
  const { capacity, stateWords, maxContacts } = sizes;
  /** @param {number} offset */
  const reals = (offset) => new Float64Array(buffer, offset, capacity);
  /** @param {number} offset */
  const bytes = (offset) => new Uint8Array(buffer, offset, capacity);
  /** @param {number} offset */
  const words = (offset) => new Uint32Array(buffer, offset, capacity);
  const views = {
    buffer,
    bytes: new Uint8Array(buffer, RESERVED_BYTES, at.scratch - RESERVED_BYTES),
    header: new Uint32Array(buffer, at.header, HEADER_BYTES / 4),
    headerReals: new Float64Array(buffer, at.header, HEADER_BYTES / 8),
    x: reals(at.x),
    y: reals(at.y),
    vx: reals(at.vx),
    vy: reals(at.vy),
    a: reals(at.a),
    b: reals(at.b),
    invMass: reals(at.invMass),
    restitution: reals(at.restitution),
    gameState: new Float64Array(buffer, at.gameState, stateWords),
    shape: bytes(at.shape),
    kind: bytes(at.kind),
    owner: bytes(at.owner),
    flags: bytes(at.flags),
    angle: bytes(at.angle),
    state: bytes(at.state),
    parametersOffset: at.parameters,
    parameters: new Uint32Array(buffer, at.parameters, PARAMETER_BYTES / 4),
    parameterReals: new Float64Array(buffer, at.parameters, PARAMETER_BYTES / 8),
    sortedReals: new Float64Array(buffer, at.sorted, ((capacity + READ_AHEAD) * SORTED_BYTES) / 8),
    sortedWords: new Uint32Array(buffer, at.sorted, ((capacity + READ_AHEAD) * SORTED_BYTES) / 4),
    boundX: reals(at.boundX),
    boundY: reals(at.boundY),
    boundR: reals(at.boundR),
    cellOf: words(at.cellOf),
    cellStart: new Uint32Array(buffer, at.cellStart, maxCells(capacity) + 1),
    large: words(at.large),
    minX: reals(at.minX),
    maxX: reals(at.maxX),
    minY: reals(at.minY),
    maxY: reals(at.maxY),
    pairs: new Uint32Array(buffer, at.pairs, maxContacts + 1),
    contactA: new Uint16Array(buffer, at.contactA, maxContacts),
    contactB: new Uint16Array(buffer, at.contactB, maxContacts),
    contactNx: new Float64Array(buffer, at.contactNx, maxContacts),
    contactNy: new Float64Array(buffer, at.contactNy, maxContacts),
    contactDepth: new Float64Array(buffer, at.contactDepth, maxContacts),
    contactSpeed: new Float64Array(buffer, at.contactSpeed, maxContacts),
  };
  OFFSETS.forEach((name, i) => (views.parameters[i] = at[name]));
  views.parameters[PARAMETER.maxPairs] = maxContacts;
  views.header[WORD.magic] = MAGIC;
  views.header[WORD.version] = LAYOUT_VERSION;
  views.header[WORD.capacity] = capacity;
  views.header[WORD.stateWords] = stateWords;
  return views;
}
