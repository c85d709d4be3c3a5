/**
 * What the worker read of the inputs, tick by tick: with a checkpoint, all that is needed to play the
 * same ticks again. A ring in the mailbox's shared memory that the worker writes and the main thread
 * reads now and then; who is too late has lost the oldest ticks, and is told so. Neither side waits.
 *
 *   per tick   int32 tick, then a word for each slot
 */
import { HEADER } from './layout.js';

export class InputLog {
  #header;
  #entries;
  #slots;
  #ticks;
  #stride;
  /** Where the tick that runs now is being written. */
  #at = 0;
  /** Ticks read so far, by this side. */
  #read = 0;

  /**
   * @param {Int32Array} header of the mailbox
   * @param {Int32Array} entries ticks * (1 + slots) words
   * @param {number} slots 0.. @param {number} ticks 1..
   */
  constructor(header, entries, slots, ticks) {
    this.#header = header;
    this.#entries = entries;
    this.#slots = slots;
    this.#ticks = ticks;
    this.#stride = 1 + slots;
    this.#read = Atomics.load(header, HEADER.loggedTicks) >>> 0;
    this.#at = (this.#read % ticks) * this.#stride;
  }

  // The worker.

  /**
   * @param {number} slot @param {number} word int32 that was read for the tick under way
   * @returns {number} the word
   */
  note(slot, word) {
    this.#entries[this.#at + 1 + slot] = word;
    return word;
  }

  /** The tick is over. @param {number} tick its number */
  publish(tick) {
    this.#entries[this.#at] = tick;
    const logged = (Atomics.add(this.#header, HEADER.loggedTicks, 1) + 1) >>> 0;
    this.#at = (logged % this.#ticks) * this.#stride;
  }

  // The main thread.

  /**
   * @param {(tick: number, words: Int32Array) => void} take is called for each tick since the last
   *   call; the words are valid until it returns
   * @returns {boolean} false: some ticks came and went unread before these
   */
  drain(take) {
    const logged = Atomics.load(this.#header, HEADER.loggedTicks) >>> 0;
    const fresh = (logged - this.#read) >>> 0;
    let whole = fresh <= this.#ticks;
    const first = whole ? this.#read : (logged - this.#ticks) >>> 0;
    const copy = [];
    for (let i = 0; i < Math.min(fresh, this.#ticks); i++) {
      const at = (((first + i) >>> 0) % this.#ticks) * this.#stride;
      copy.push(this.#entries.slice(at, at + this.#stride));
    }
    this.#read = logged;
    // What the worker has begun to write over meanwhile is not what it was. A store, not a load, keeps
    // what was read above from being read after it (see Mailbox.copyCheckpoint).
    const now = Atomics.or(this.#header, HEADER.loggedTicks, 0) >>> 0;
    const gone = Math.max(0, ((now - first) >>> 0) + 1 - this.#ticks);
    if (gone > 0 && copy.splice(0, gone).length > 0) whole = false;
    for (const entry of copy) take(entry[0], entry.subarray(1, 1 + this.#slots));
    return whole;
  }
}
