/** Plays a game with random players, match after match, and hashes the state and the frame of each tick. */
import { messageOf } from '../errors.js';
import { HEADER_AT, decodeHeader } from '../game/frame.js';
import { RandomPlayers } from './players.js';

/** Distance of the seeds of a run's matches. */
const SEED_STEP = 0x9e3779b1;
const FIRST_HASH = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

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

  /** Checks that the last frame can be read. @returns {string | undefined} why it cannot, as a sentence */
  findFrameProblem() {
    const { frameLength } = this;
    const room = this.#frame.length;
    if (!(frameLength <= room)) return `A frame has ${frameLength} bytes, but room for ${room}.`;
    try {
      decodeHeader(this.#frame.subarray(0, frameLength));
      return undefined;
    } catch (error) {
      return `A frame cannot be read: ${messageOf(error)}.`;
    }
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
