/**
 * Where everything of a world lies in its one piece of memory. The first part is state: a
 * checkpoint is a copy of it. The rest is scratch space that each step rewrites.
 *
 *   reserved   1 KiB   nothing (the compiled kernel's stack would be here if it had one)
 *   state      header 128 B, Float64 x capacity: x y vx vy a b invMass restitution,
 *              Float64 x stateWords: the game's, Uint8 x capacity: shape kind owner flags angle state
 *   scratch    PARAMETERS for the kernel, the sorted grid, large bodies, pairs, contacts
 */

export const SHAPE = Object.freeze({ none: 0, circle: 1, box: 2, segment: 3 });
/** sensor: overlaps are reported, nothing is pushed. */
export const FLAG = Object.freeze({ sensor: 1 });

export const MAX_CAPACITY = 65534; // a pair of ids is one 32-bit word
export const STEP_SECONDS = 1 / 60;

const RESERVED_BYTES = 1024;
const MAGIC = 0x776f726c; // 'worl'
const LAYOUT_VERSION = 1;
const HEADER_BYTES = 128;

/** Entries past the end that the grid's unrolled tests may read. */
const READ_AHEAD = 4;

/**
 * A small body in the grid: float64 x, y and radius of its bounding circle, uint32 id and cell;
 * `struct sorted` in kernel.c.
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
  lowestFree: 6, // no slot below is free
  tick: 7,
  random: 8, // 4 words
});
/** Words (float64) of the state's header. */
export const REAL = Object.freeze({ width: 8, height: 9, cellSize: 10 });

/** The kernel's parameters: `struct parameters` in kernel.c has the same fields in this order. */
const OFFSETS = /** @type {const} */ ([
  ...['x', 'y', 'vx', 'vy', 'a', 'b', 'invMass', 'restitution', 'shape', 'flags'],
  ...['cellOf', 'cellStart', 'sorted'],
  ...['boundX', 'boundY', 'boundR'],
  ...['large', 'minX', 'maxX', 'minY', 'maxY', 'pairs'],
]);
const FIRST_WORD = OFFSETS.length;
/** Words (uint32) of the parameters. */
export const PARAMETER = Object.freeze({
  maxPairs: FIRST_WORD,
  columns: FIRST_WORD + 1,
  rows: FIRST_WORD + 2,
  dropped: FIRST_WORD + 3, // out: pairs found past maxPairs
});
const FIRST_REAL = Math.ceil((FIRST_WORD + 4) / 2);
/** Words (float64) of the parameters. */
export const PARAMETER_REAL = Object.freeze({
  inverseCell: FIRST_REAL,
  smallRadius: FIRST_REAL + 1, // a body with a larger bounding circle goes the way of the large ones
  cellSize: FIRST_REAL + 2,
  width: FIRST_REAL + 3,
  height: FIRST_REAL + 4,
});
const PARAMETER_BYTES = (FIRST_REAL + 5) * 8;

/** Cells a grid may have, padding included, for `capacity` bodies. @param {number} capacity */
export function maxCells(capacity) {
  return 8 * capacity + 4096;
}

/**
 * @typedef {ReturnType<typeof layOut>} Memory the views on a world's memory
 *
 * @typedef {object} Sizes
 * @property {number} capacity bodies
 * @property {number} stateWords float64 words of the game's own
 * @property {number} maxContacts
 */

/** @param {Sizes} sizes @returns {number} bytes of memory that a world of these sizes needs */
export function memoryBytes(sizes) {
  return place(sizes).end;
}

/** @param {Sizes} sizes @returns {number} bytes of state, of the checkpoint that is */
export function stateBytes(sizes) {
  return place(sizes).scratch - RESERVED_BYTES;
}

/** @param {Sizes} sizes */
function place({ capacity, stateWords, maxContacts }) {
  let end = RESERVED_BYTES;
  /** @param {number} count @param {number} bytes each */
  const take = (count, bytes) => {
    const start = end;
    end = Math.ceil((start + count * bytes) / 8) * 8;
    return start;
  };
  const reals = () => take(capacity, 8);
  const here = () => take(0, 1);
  return {
    header: take(HEADER_BYTES, 1),
    x: reals(),
    y: reals(),
    vx: reals(),
    vy: reals(),
    a: reals(),
    b: reals(),
    invMass: reals(),
    restitution: reals(),
    gameState: take(stateWords, 8),
    shape: take(capacity, 1),
    kind: take(capacity, 1),
    owner: take(capacity, 1),
    flags: take(capacity, 1),
    angle: take(capacity, 1),
    state: take(capacity, 1),
    scratch: here(),
    parameters: take(PARAMETER_BYTES, 1),
    sorted: take((capacity + READ_AHEAD) * SORTED_BYTES, 1),
    boundX: reals(),
    boundY: reals(),
    boundR: reals(),
    cellOf: take(capacity, 4),
    cellStart: take(maxCells(capacity) + 1, 4),
    large: take(capacity, 4),
    minX: reals(),
    maxX: reals(),
    minY: reals(),
    maxY: reals(),
    pairs: take(maxContacts + 1, 4), // one more, for the write that comes before it is known to count
    contactA: take(maxContacts, 2),
    contactB: take(maxContacts, 2),
    contactNx: take(maxContacts, 8),
    contactNy: take(maxContacts, 8),
    contactDepth: take(maxContacts, 8),
    contactSpeed: take(maxContacts, 8),
    end: here(),
  };
}

/**
 * Makes the views and writes what never changes.
 * @param {ArrayBuffer} buffer zeroed, at least memoryBytes(sizes) long
 * @param {Sizes} sizes
 */
export function layOut(buffer, sizes) {
  const at = place(sizes);
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
    ...{ x: reals(at.x), y: reals(at.y), vx: reals(at.vx), vy: reals(at.vy) },
    ...{ a: reals(at.a), b: reals(at.b) },
    ...{ invMass: reals(at.invMass), restitution: reals(at.restitution) },
    gameState: new Float64Array(buffer, at.gameState, stateWords),
    ...{ shape: bytes(at.shape), kind: bytes(at.kind), owner: bytes(at.owner) },
    ...{ flags: bytes(at.flags), angle: bytes(at.angle), state: bytes(at.state) },
    parametersOffset: at.parameters,
    parameters: new Uint32Array(buffer, at.parameters, PARAMETER_BYTES / 4),
    parameterReals: new Float64Array(buffer, at.parameters, PARAMETER_BYTES / 8),
    sortedReals: new Float64Array(buffer, at.sorted, ((capacity + READ_AHEAD) * SORTED_BYTES) / 8),
    sortedWords: new Uint32Array(buffer, at.sorted, ((capacity + READ_AHEAD) * SORTED_BYTES) / 4),
    ...{ boundX: reals(at.boundX), boundY: reals(at.boundY), boundR: reals(at.boundR) },
    cellOf: words(at.cellOf),
    cellStart: new Uint32Array(buffer, at.cellStart, maxCells(capacity) + 1),
    large: words(at.large),
    ...{ minX: reals(at.minX), maxX: reals(at.maxX), minY: reals(at.minY), maxY: reals(at.maxY) },
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
