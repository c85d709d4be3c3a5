/**
 * A world: bodies as a structure of arrays, a fixed step of 1/60 s, contacts, a seeded generator,
 * and the game's own words, in one piece of memory. The same seed and the same calls give the
 * same bytes on every machine and every version of Node: nothing but what IEEE 754 fixes is used
 * (+ - * / sqrt and comparisons). y points down; the top left corner is 0, 0.
 */
import { PitvError } from '../errors.js';
import { chooseCellSize, fitCellSize, smallRadius } from './cells.js';
import { problemOf } from './checkpoint.js';
import { collect, respond } from './contacts.js';
import { describeBody } from './body.js';
import { createKernel } from './select-kernel.js';
import { randomWord, seedRandom } from './rng.js';
import { FLAG, MAX_CAPACITY, PARAMETER, PARAMETER_REAL, REAL, SHAPE, WORD } from './layout.js';

export { FLAG, MAX_CAPACITY, SHAPE, STEP_SECONDS } from './layout.js';

/** Ticks between two adjustments of the grid to the bodies. */
const REFIT_TICKS = 16;

/**
 * @typedef {object} WorldOptions
 * @property {number} capacity bodies, 1..65534
 * @property {number} width world units @property {number} height world units
 * @property {number} [seed] uint32, default 1
 * @property {number} [stateWords] float64 words of the game's own, default 0
 * @property {number} [cellSize] world units; default: fitted to the bodies every 16 ticks
 * @property {number} [maxContacts] bounds the memory, default 4 x capacity, at least 1024
 * @property {'wasm' | 'js' | import('./select-kernel.js').KernelFactory} [kernel] default: wasm where it
 *   works, else js; both give the same bytes
 * @property {'none' | 'bounce'} [border] whether the border throws back circles and boxes that move
 */

export class World {
  #memory;
  #kernel;
  #fixedCellSize;
  #bounce;
  #contactCount = 0;

  /**
   * @param {WorldOptions} options
   * @throws {PitvError} PITV_WORLD_OPTIONS
   */
  constructor(options) {
    const { capacity, width, height, seed = 1, stateWords = 0, border = 'none' } = options;
    const { cellSize = 0, maxContacts = Math.max(1024, 4 * capacity) } = options;
    check('capacity', capacity, 1, MAX_CAPACITY, true);
    check('stateWords', stateWords, 0, 1 << 20, true);
    check('maxContacts', maxContacts, 1, 1 << 24, true);
    check('width', width, 1, 1e6);
    check('height', height, 1, 1e6);
    check('cellSize', cellSize, 0, 1e6);
    check('seed', seed, 0, 0xffffffff, true);
    if (border !== 'none' && border !== 'bounce') {
      throw new PitvError('PITV_WORLD_OPTIONS', `border must be 'none' or 'bounce'.`);
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

    /** 'wasm' or 'js'. */
    this.kernel = kernel.name;
    this.capacity = capacity;
    this.width = width;
    this.height = height;
    this.maxContacts = maxContacts;
    this.FLAG = FLAG;
    this.SHAPE = SHAPE;
    // Bodies, by slot. A free slot has shape 0.
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
    // Contacts of the last step, contactCount of them; A < B, the normal points from A to B.
    this.contactA = views.contactA;
    this.contactB = views.contactB;
    this.contactNx = views.contactNx;
    this.contactNy = views.contactNy;
    this.contactDepth = views.contactDepth;
    this.contactSpeed = views.contactSpeed;
    /** Everything that is state. */
    this.bytes = views.bytes;
    this.#setCellSize(
      fitCellSize(cellSize || Math.max(width, height) / 16, capacity, width, height),
    );
  }

  /** Slots in use are below this one. */
  get high() {
    return this.#memory.header[WORD.high];
  }
  /** Bodies in the world. */
  get count() {
    return this.#memory.header[WORD.count];
  }
  /** Steps done. */
  get tick() {
    return this.#memory.header[WORD.tick];
  }
  get contactCount() {
    return this.#contactCount;
  }
  /**
   * Pairs of the last step that found no room in maxContacts; of bodies other than circles those
   * count whose bounding circles overlap.
   */
  get contactsDropped() {
    return this.#memory.parameters[PARAMETER.dropped];
  }
  get checkpointBytes() {
    return this.bytes.byteLength;
  }

  /**
   * Puts a body into the lowest free slot.
   * @param {import('./body.js').BodyOptions} options
   * @returns {number} its id (slot), which is its until it is removed
   * @throws {PitvError} PITV_BODY_INVALID, PITV_WORLD_FULL
   */
  add(options) {
    const body = describeBody(options);
    const { header } = this.#memory;
    const id = this.shape.indexOf(SHAPE.none, header[WORD.lowestFree]);
    if (id < 0) {
      throw new PitvError('PITV_WORLD_FULL', `The world holds ${this.capacity} bodies already.`);
    }
    header[WORD.count]++;
    header[WORD.lowestFree] = id + 1;
    if (id >= header[WORD.high]) header[WORD.high] = id + 1;
    this.shape[id] = body.shape;
    this.kind[id] = body.kind;
    this.owner[id] = body.owner;
    this.flags[id] = body.sensor ? FLAG.sensor : 0;
    this.angle[id] = body.angle;
    this.state[id] = body.state;
    this.x[id] = body.x;
    this.y[id] = body.y;
    this.vx[id] = body.vx;
    this.vy[id] = body.vy;
    this.a[id] = body.a;
    this.b[id] = body.b;
    this.invMass[id] = body.invMass;
    this.restitution[id] = body.restitution;
    return id;
  }

  /**
   * Takes a body out; what was never there or is gone already is no error.
   * @param {number} id
   */
  remove(id) {
    const { header } = this.#memory;
    if (!(id >= 0 && id < header[WORD.high]) || this.shape[id] === SHAPE.none) return;
    for (const field of this.#fields()) field[id] = 0;
    header[WORD.count]--;
    if (id < header[WORD.lowestFree]) header[WORD.lowestFree] = id;
    while (header[WORD.high] > 0 && this.shape[header[WORD.high] - 1] === SHAPE.none) {
      header[WORD.high]--;
    }
  }

  /** Takes all bodies out; time, generator and the game's state stay. */
  clear() {
    const { header } = this.#memory;
    for (const field of this.#fields()) field.fill(0);
    header[WORD.high] = 0;
    header[WORD.count] = 0;
    header[WORD.lowestFree] = 0;
    this.#forgetContacts();
  }

  #fields() {
    const { shape, kind, owner, flags, angle, state } = this;
    const { x, y, vx, vy, a, b, invMass, restitution } = this;
    return [shape, kind, owner, flags, angle, state, x, y, vx, vy, a, b, invMass, restitution];
  }

  /** @returns {number} 0 <= n < 1, in steps of 2^-32 */
  random() {
    return randomWord(this.#memory.header, WORD.random) / 4294967296;
  }

  /** @param {number} n 1..2^32 @returns {number} a whole number, 0..n-1 */
  randomInt(n) {
    return Math.floor(this.random() * n);
  }

  /** One tick of 1/60 s: move, find contacts, respond. */
  step() {
    const memory = this.#memory;
    this.#contactCount = collect(memory, this.advance());
    respond(memory, this.#contactCount);
  }

  /**
   * A step without contacts and response: moves the bodies and finds the pairs of them whose
   * bounding circles overlap, which for circles is exact.
   * @returns {number} how many; they lie in `pairs`, each as (id << 16 | id)
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

  /** Where advance() writes. */
  get pairs() {
    return this.#memory.pairs;
  }

  /** World units. The grid's cells; part of the state, since it decides the contacts' order. */
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

  #forgetContacts() {
    this.#contactCount = 0;
    this.#memory.parameters[PARAMETER.dropped] = 0;
  }

  /**
   * Copies the state.
   * @param {Uint8Array} target at least checkpointBytes long
   * @returns {number} bytes written
   */
  checkpoint(target) {
    if (target.byteLength < this.bytes.byteLength) {
      throw new PitvError(
        'PITV_CHECKPOINT_INVALID',
        `A checkpoint takes ${this.bytes.byteLength} bytes, there is room for ${target.byteLength}.`,
      );
    }
    target.set(this.bytes);
    return this.bytes.byteLength;
  }

  /**
   * Takes a state up; the contacts of the last step are gone.
   * @param {Uint8Array} source what checkpoint() wrote, in a world of the same sizes
   * @throws {PitvError} PITV_CHECKPOINT_INVALID; the world is as it was
   */
  restore(source) {
    const problem = problemOf(source, this.#memory);
    if (problem) throw new PitvError('PITV_CHECKPOINT_INVALID', problem);
    this.bytes.set(source.subarray(0, this.bytes.byteLength));
    this.#setCellSize(this.cellSize);
    this.#forgetContacts();
  }
}

/**
 * @param {string} name @param {number} value @param {number} least @param {number} most
 * @param {boolean} [whole]
 */
function check(name, value, least, most, whole = false) {
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return;
  throw new PitvError(
    'PITV_WORLD_OPTIONS',
    `${name} must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}, not ${value}.`,
  );
}
