/**
 * A world holds bodies as a structure of arrays, contacts, a seeded random number generator and the
 * game's state in one block of memory, and advances in steps of 1/60 s. The same seed and the same calls
 * give the same bytes on every machine and every version of Node.js, because only operations that
 * IEEE 754 defines exactly are used (+ - * / sqrt and comparisons). y points down; the top left corner
 * is 0, 0.
 */
import { PitvError } from '../errors.js';
import { findWrong, integer, number, oneOf, optional } from '../options.js';
import { chooseCellSize, fitCellSize, smallRadius } from './cells.js';
import { collectContacts, resolveContacts } from './contacts.js';
import { addBody } from './body.js';
import { createKernel } from './kernel.js';
import { randomWord, seedRandom } from './rng.js';
import { FLAG, MAX_CAPACITY, PARAMETER, PARAMETER_REAL, REAL, SHAPE, WORD } from './layout.js';

export { FLAG, MAX_CAPACITY, SHAPE, STEP_SECONDS } from './layout.js';

/** @type {Record<string, import('../options.js').Field>} */
export const FIELDS = {
  capacity: integer(1, MAX_CAPACITY),
  width: number(1, 1e6),
  height: number(1, 1e6),
  seed: optional(integer(0, 0xffffffff)),
  stateWords: optional(integer(0, 1 << 20)),
  maxContacts: optional(integer(1, 1 << 24)),
  cellSize: optional(number(0, 1e6)),
  border: optional(oneOf(['none', 'bounce'])),
};
/** Ticks between two adjustments of the cell size. */
const REFIT_TICKS = 16;

/**
 * @typedef {object} WorldOptions
 * @property {number} capacity bodies, 1..65534
 * @property {number} width world units @property {number} height world units
 * @property {number} [seed] uint32, default 1
 * @property {number} [stateWords] float64 words of the game's state, default 0
 * @property {number} [cellSize] world units; default: adjusted to the bodies every 16 ticks
 * @property {number} [maxContacts] maximum number of contacts, default 4 x capacity, at least 1024
 * @property {import('./kernel.js').KernelFactory} [kernel] another kernel, for tests and comparisons
 * @property {'none' | 'bounce'} [border] 'bounce': moving circles and boxes bounce off the border
 */

export class World {
  #memory;
  #kernel;
  #fixedCellSize;
  #bounce;
  #contactCount = 0;

  /** @param {WorldOptions} options @throws {PitvError} PITV_WORLD_OPTIONS */
  constructor(options) {
    const { capacity, width, height, seed = 1, stateWords = 0, border = 'none' } = options;
    const { cellSize = 0, maxContacts = Math.max(1024, 4 * capacity) } = options;
    const wrong = findWrong(FIELDS, options);
    if (wrong) {
      const sentence = `${wrong} must be ${FIELDS[wrong].allowed}, not ${Reflect.get(options, wrong)}.`;
      throw new PitvError('PITV_WORLD_OPTIONS', sentence);
    }
    const sizes = { capacity, stateWords, maxContacts };
    const { memory: views, kernel } = createKernel(sizes, options.kernel);
    this.#memory = views;
    this.#kernel = kernel;
    this.#fixedCellSize = cellSize;
    this.#bounce = border === 'bounce';
    views.headerReals[REAL.width] = width;
    views.headerReals[REAL.height] = height;
    views.parameterReals[PARAMETER_REAL.width] = width;
    views.parameterReals[PARAMETER_REAL.height] = height;
    seedRandom(views.header, WORD.random, seed);

    this.capacity = capacity;
    this.width = width;
    this.height = height;
    this.maxContacts = maxContacts;
    this.FLAG = FLAG;
    this.SHAPE = SHAPE;
    // Bodies, by slot. A free slot has the shape SHAPE.none.
    this.shape = views.shape;
    this.kind = views.kind;
    this.owner = views.owner;
    this.flags = views.flags;
    this.angle = views.angle;
    this.state = views.state;
    this.x = views.x;
    this.y = views.y;
    this.vx = views.vx;
    this.vy = views.vy;
    this.a = views.a;
    this.b = views.b;
    this.invMass = views.invMass;
    this.restitution = views.restitution;
    this.gameState = views.gameState;
    // Contacts of the last step, contactCount entries; A < B, the normal points from A to B.
    this.contactA = views.contactA;
    this.contactB = views.contactB;
    this.contactNx = views.contactNx;
    this.contactNy = views.contactNy;
    this.contactDepth = views.contactDepth;
    this.contactSpeed = views.contactSpeed;
    /** The whole state. */
    this.bytes = views.bytes;
    this.#setCellSize(
      fitCellSize(cellSize || Math.max(width, height) / 16, capacity, width, height),
    );
  }

  /** One more than the highest slot in use. */
  get high() {
    return this.#memory.header[WORD.high];
  }
  /** Number of bodies. */
  get count() {
    return this.#memory.header[WORD.count];
  }
  /** Number of steps so far. */
  get tick() {
    return this.#memory.header[WORD.tick];
  }
  get contactCount() {
    return this.#contactCount;
  }
  /**
   * Number of pairs in the last step for which there was no room (see maxContacts). Bodies other than
   * circles count if their bounding circles overlap.
   */
  get contactsDropped() {
    return this.#memory.parameters[PARAMETER.dropped];
  }
  get checkpointBytes() {
    return this.bytes.byteLength;
  }

  /**
   * Adds a body in the lowest free slot.
   * @param {import('./body.js').BodyOptions} options
   * @returns {number} its id (slot), valid until it is removed
   * @throws {PitvError} PITV_BODY_INVALID, PITV_WORLD_FULL
   */
  add(options) {
    return addBody(this.#memory, options);
  }

  /** Removes a body. Does nothing if there is no body with this id. @param {number} id */
  remove(id) {
    const { header } = this.#memory;
    if (!(this.shape[id] > SHAPE.none)) return;
    for (const field of this.#fields()) field[id] = 0;
    header[WORD.count]--;
    if (id < header[WORD.lowestFree]) header[WORD.lowestFree] = id;
    while (header[WORD.high] > 0 && this.shape[header[WORD.high] - 1] === SHAPE.none) {
      header[WORD.high]--;
    }
  }

  /** Removes all bodies. The tick, the generator and the game's state are kept. */
  clear() {
    const { header } = this.#memory;
    for (const field of this.#fields()) field.fill(0);
    header[WORD.high] = 0;
    header[WORD.count] = 0;
    header[WORD.lowestFree] = 0;
    this.#clearContacts();
  }

  #fields() {
    const { shape, kind, owner, flags, angle, state } = this;
    const { x, y, vx, vy, a, b, invMass, restitution } = this;
    return [shape, kind, owner, flags, angle, state, x, y, vx, vy, a, b, invMass, restitution];
  }

  /** Returns a random number. @returns {number} 0 <= n < 1, in steps of 2^-32 */
  random() {
    return randomWord(this.#memory.header, WORD.random) / 4294967296;
  }

  /** Returns a random integer. @param {number} n 1..2^32 @returns {number} 0..n-1 */
  randomInt(n) {
    return Math.floor(this.random() * n);
  }

  /** Runs one step of 1/60 s: moves the bodies, finds the contacts and resolves them. */
  step() {
    const memory = this.#memory;
    this.#contactCount = collectContacts(memory, this.advance());
    resolveContacts(memory, this.#contactCount);
  }

  /**
   * Runs a step without contacts: moves the bodies and finds the pairs whose bounding circles overlap,
   * which is exact for circles. Writes them to `pairs`, each as (id << 16 | id).
   * @returns {number} number of pairs
   */
  advance() {
    const { header } = this.#memory;
    const high = header[WORD.high];
    this.#kernel.integrate(high, this.#bounce);
    if (header[WORD.tick] % REFIT_TICKS === 0 && this.#fixedCellSize === 0) {
      this.#setCellSize(chooseCellSize(this.#memory, high, this.width, this.height));
    }
    header[WORD.tick]++;
    return this.#kernel.findPairs(high);
  }

  /** The pairs found by advance(). */
  get pairs() {
    return this.#memory.pairs;
  }

  /** Cell size of the grid, world units. It is part of the state because it affects the order of contacts. */
  get cellSize() {
    return this.#memory.headerReals[REAL.cellSize];
  }

  /** @param {number} size world units */
  #setCellSize(size) {
    const { headerReals, parameters, parameterReals } = this.#memory;
    headerReals[REAL.cellSize] = size;
    parameters[PARAMETER.columns] = Math.ceil(this.width / size);
    parameters[PARAMETER.rows] = Math.ceil(this.height / size);
    parameterReals[PARAMETER_REAL.inverseCell] = 1 / size;
    parameterReals[PARAMETER_REAL.smallRadius] = smallRadius(size);
    parameterReals[PARAMETER_REAL.cellSize] = size;
  }

  #clearContacts() {
    this.#contactCount = 0;
    this.#memory.parameters[PARAMETER.dropped] = 0;
  }

  /**
   * Copies the state.
   * @param {Uint8Array} target at least checkpointBytes long
   * @returns {number} bytes written
   * @throws {PitvError} PITV_CHECKPOINT_INVALID if the target is too small
   */
  checkpoint(target) {
    if (target.byteLength < this.bytes.byteLength) {
      throw new PitvError(
        'PITV_CHECKPOINT_INVALID',
        `A checkpoint takes ${this.bytes.byteLength} bytes, the target has ${target.byteLength}.`,
      );
    }
    target.set(this.bytes);
    return this.bytes.byteLength;
  }

  /**
   * Restores a state and clears the contacts of the last step.
   * @param {Uint8Array} source a checkpoint of a world of the same sizes
   * @throws {PitvError} PITV_CHECKPOINT_INVALID if it does not fit; the world is unchanged
   */
  restore(source) {
    const problem = findCheckpointProblem(source, this.#memory);
    if (problem) throw new PitvError('PITV_CHECKPOINT_INVALID', problem);
    this.bytes.set(source.subarray(0, this.bytes.byteLength));
    this.#setCellSize(this.cellSize);
    this.#clearContacts();
  }
}

/**
 * Compares a checkpoint with the world that would restore it.
 * @param {Uint8Array} source the checkpoint
 * @param {import('./layout.js').Memory} memory of the world to restore
 * @returns {string} a sentence that describes the problem, or '' if the checkpoint fits
 */
function findCheckpointProblem(source, { bytes, header, headerReals }) {
  if (source.byteLength < bytes.byteLength) {
    return `This checkpoint has ${source.byteLength} bytes, the world needs ${bytes.byteLength}.`;
  }
  const copy = source.slice(0, header.byteLength); // the source may be unaligned
  const words = new Uint32Array(copy.buffer, 0, header.length);
  const reals = new Float64Array(copy.buffer, 0, headerReals.length);
  for (const name of /** @type {const} */ (['magic', 'version', 'capacity', 'stateWords'])) {
    if (words[WORD[name]] !== header[WORD[name]])
      return `The ${name} of this checkpoint differs from the world's.`;
  }
  const width = headerReals[REAL.width];
  const height = headerReals[REAL.height];
  if (reals[REAL.width] !== width || reals[REAL.height] !== height) {
    return 'This checkpoint comes from a world of a different size.';
  }
  const capacity = header[WORD.capacity];
  const cellSize = reals[REAL.cellSize];
  const whole =
    words[WORD.high] <= capacity &&
    words[WORD.count] <= words[WORD.high] &&
    words[WORD.lowestFree] <= words[WORD.count] &&
    cellSize > 0 &&
    fitCellSize(cellSize, capacity, width, height) === cellSize;
  return whole ? '' : 'This checkpoint is damaged.';
}
