/** Plays a game with random players, match after match, and hashes the state and the frame of each tick. */
import { HEADER_AT } from '../game/frame.js';
import { ABSENT, BUTTON_A, BUTTON_B, MAX_AXIS, packInput } from '../game/input.js';
import { randomWord, seedRandom } from '../game/rng.js';

/** Distance of the seeds of a run's matches. */
const SEED_STEP = 0x9e3779b1;
const FIRST_HASH = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

const TWO_TO_32 = 4294967296;
/** Probabilities of each tick: that a player joins, leaves, and moves the stick or a button. */
const JOIN = 1 / 240;
const LEAVE = 1 / 900;
const MOVE = 1 / 9;
/** That all players leave. The next tick of JOIN is some seconds later, so bots play alone for a while. */
const ALL_LEAVE = 1 / 2400;
/** That a moving player holds button A or B, and taps A twice within the tick. */
const HOLD_A = 0.35;
const HOLD_B = 0.2;
const DOUBLE_TAP = 0.05;
/** Part of the players that are there in the first tick. */
const FIRST = 0.4;

/** Makes an array whose memory is a whole number of words. @param {number} bytes */
const allocate = (bytes) => new Uint8Array(new ArrayBuffer(Math.ceil(bytes / 4) * 4), 0, bytes);

export class Play {
  #game;
  #seed;
  #players;
  #frame;
  #state;
  /** Index of the match. */
  match = 0;
  /** Matches that have ended. */
  ended = 0;
  /** Ticks so far, over all matches. */
  tick = 0;
  /** Bytes of the last frame. */
  frameLength = 0;

  /**
   * @param {import('../game/define.js').Game} game @param {number} seed uint32, of the players and of the first match
   * @param {{tick: number, match: number}} [from] where the run goes on; job.restore() gives it its state
   */
  constructor(game, seed, from) {
    const sizes = game.sizes();
    this.#game = game;
    this.#seed = seed;
    this.#players = new RandomPlayers(game.players.max, seed);
    this.#frame = allocate(sizes.frameBytes);
    this.#state = allocate(sizes.checkpointBytes);
    if (from) {
      this.match = from.match;
      for (; this.tick < from.tick; this.tick++) this.#players.advance();
    }
    this.job = this.#start();
  }

  /** @returns {import('../game/define.js').Job} */
  #start() {
    const seed = (this.#seed + this.match * SEED_STEP) >>> 0;
    return this.#game.start({ seed, match: this.match + 1 });
  }

  /** Number of times that a player joined. */
  get joins() {
    return this.#players.joins;
  }

  /** Runs a tick: changes the inputs, steps the match and writes its frame. */
  step() {
    if (this.job.done) {
      this.match++;
      this.ended++;
      this.job = this.#start();
    }
    this.tick++;
    this.#players.advance();
    this.job.step(this.#players.readWord, this.#players.readSequence);
    this.frameLength = this.job.writeFrame(this.#frame);
  }

  /** Number of bodies in the last frame. */
  get bodies() {
    return this.#frame[HEADER_AT.bodies] | (this.#frame[HEADER_AT.bodies + 1] << 8);
  }

  /** Returns a copy of the state. @returns {Uint8Array} */
  save() {
    return this.#state.slice(0, this.job.checkpoint(this.#state));
  }

  /** Hashes the state and the last frame. @param {Int32Array} target @param {number} at index of the two hashes */
  hash(target, at) {
    target[at] = hashBytes(this.#state, this.job.checkpoint(this.#state));
    target[at + 1] = hashBytes(this.#frame, this.frameLength);
  }
}

/**
 * Hashes bytes by FNV-1a over 32-bit words, with a rotation, so that high bits affect low ones.
 * @param {Uint8Array} bytes from allocate() @param {number} length @returns {number} int32
 */
function hashBytes(bytes, length) {
  const words = new Int32Array(bytes.buffer, 0, length >>> 2);
  let hash = FIRST_HASH;
  for (let i = 0; i < words.length; i++) {
    hash = Math.imul(hash ^ words[i], PRIME);
    hash = (hash << 13) | (hash >>> 19);
  }
  for (let i = length & ~3; i < length; i++) hash = Math.imul(hash ^ bytes[i], PRIME);
  return hash;
}

/**
 * The controls of a pad in a tick: stick -1..1, and the held buttons.
 * @typedef {{x: number, y: number, buttons: number}} Move
 */

/** Pads without a network: provides input words and sequence numbers as a mailbox does. */
export class Pads {
  /** @param {number} slots 0..8 */
  constructor(slots) {
    this.words = new Int32Array(slots);
    this.sequences = new Uint32Array(slots);
    this.presses = new Uint8Array(slots * 2);
    this.held = new Uint8Array(slots);
    /** @param {number} slot @returns {number} see Job.step() */
    this.readWord = (slot) => this.words[slot];
    /** @param {number} slot @returns {number} see Job.step() */
    this.readSequence = (slot) => this.sequences[slot];
  }

  /** Sets the controls of a slot. @param {number} slot @param {Move} [move] without it nobody is there */
  set(slot, move) {
    this.sequences[slot]++;
    if (!move) {
      this.words[slot] = ABSENT;
      return;
    }
    const { presses, held } = this;
    const pressed = move.buttons & ~held[slot];
    if (pressed & BUTTON_A) presses[slot * 2]++;
    if (pressed & BUTTON_B) presses[slot * 2 + 1]++;
    held[slot] = move.buttons;
    const [x, y] = [move.x, move.y].map((axis) => Math.round(axis * MAX_AXIS));
    const [a, b] = presses.subarray(slot * 2, slot * 2 + 2);
    this.words[slot] = packInput(x, y, move.buttons, a, b);
  }
}

/** Players who join, leave, push sticks and press buttons at random. */
export class RandomPlayers extends Pads {
  #random = new Uint32Array(4);
  #ticks = 0;
  /** Number of times that a player joined. */
  joins = 0;

  /** @param {number} slots 0..8 @param {number} seed uint32 */
  constructor(slots, seed) {
    super(slots);
    seedRandom(this.#random, 0, seed);
  }

  /** @returns {number} 0 <= n < 1 */
  #next() {
    return randomWord(this.#random, 0) / TWO_TO_32;
  }

  /** Changes the inputs for the next tick. */
  advance() {
    const first = this.#ticks++ === 0;
    const allLeave = this.#next() < ALL_LEAVE;
    for (let slot = 0; slot < this.words.length; slot++) {
      if (this.words[slot] === ABSENT) {
        if (this.#next() < (first ? FIRST : JOIN)) this.#join(slot);
      } else if (allLeave || this.#next() < LEAVE) {
        this.set(slot);
      } else if (this.#next() < MOVE) {
        this.#move(slot);
      }
    }
  }

  /** @param {number} slot */
  #join(slot) {
    this.joins++;
    this.held[slot] = 0;
    this.#move(slot);
  }

  /** @param {number} slot */
  #move(slot) {
    const buttons = (this.#next() < HOLD_A ? BUTTON_A : 0) | (this.#next() < HOLD_B ? BUTTON_B : 0);
    if (this.#next() < DOUBLE_TAP) this.presses[slot * 2] += 2;
    this.set(slot, { x: this.#next() * 2 - 1, y: this.#next() * 2 - 1, buttons });
  }
}
