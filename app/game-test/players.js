/** Random players for the test of a game. They join, leave, push sticks and press buttons; a seed fixes all of it. */
import { ABSENT, BUTTON_A, BUTTON_B, MAX_AXIS, packInput } from '../game/input.js';
import { randomWord, seedRandom } from '../game/rng.js';

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

/** Provides input words and sequence numbers, as a mailbox does. */
export class RandomPlayers {
  #random = new Uint32Array(4);
  #words;
  #sequences;
  #presses;
  #held;
  #ticks = 0;
  /** Number of times that a player joined. */
  joins = 0;

  /** @param {number} slots 0..8 @param {number} seed uint32 */
  constructor(slots, seed) {
    seedRandom(this.#random, 0, seed);
    this.#words = new Int32Array(slots);
    this.#sequences = new Uint32Array(slots);
    this.#presses = new Uint8Array(slots * 2);
    this.#held = new Uint8Array(slots);
    /** @param {number} slot @returns {number} see Job.step() */
    this.readWord = (slot) => this.#words[slot];
    /** @param {number} slot @returns {number} see Job.step() */
    this.readSequence = (slot) => this.#sequences[slot];
  }

  /** @returns {number} 0 <= n < 1 */
  #next() {
    return randomWord(this.#random, 0) / TWO_TO_32;
  }

  /** Changes the inputs for the next tick. */
  advance() {
    const first = this.#ticks++ === 0;
    const allLeave = this.#next() < ALL_LEAVE;
    for (let slot = 0; slot < this.#words.length; slot++) {
      if (this.#words[slot] === ABSENT) {
        if (this.#next() < (first ? FIRST : JOIN)) this.#join(slot);
      } else if (allLeave || this.#next() < LEAVE) {
        this.#write(slot, ABSENT);
      } else if (this.#next() < MOVE) {
        this.#move(slot);
      }
    }
  }

  /** @param {number} slot */
  #join(slot) {
    this.joins++;
    this.#held[slot] = 0;
    this.#move(slot);
  }

  /** @param {number} slot */
  #move(slot) {
    const presses = this.#presses;
    const buttons = (this.#next() < HOLD_A ? BUTTON_A : 0) | (this.#next() < HOLD_B ? BUTTON_B : 0);
    const pressed = buttons & ~this.#held[slot];
    if (pressed & BUTTON_A) presses[slot * 2]++;
    if (pressed & BUTTON_B) presses[slot * 2 + 1]++;
    if (this.#next() < DOUBLE_TAP) presses[slot * 2] += 2;
    this.#held[slot] = buttons;
    const [a, b] = presses.subarray(slot * 2, slot * 2 + 2);
    this.#write(slot, packInput(this.#axis(), this.#axis(), buttons, a, b));
  }

  /** @returns {number} */
  #axis() {
    return Math.round((this.#next() * 2 - 1) * MAX_AXIS);
  }

  /** @param {number} slot @param {number} word */
  #write(slot, word) {
    this.#words[slot] = word;
    this.#sequences[slot]++;
  }
}
