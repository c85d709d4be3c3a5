/**
 * Logs the input words that the worker reads in each tick. With a checkpoint and this log the same ticks can be
 * replayed. The log is a ring in the mailbox, written by the worker and read by the main thread. Neither side waits: a
 * late reader loses the oldest ticks, and drain() reports it.
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
  /** Index of the current tick's entry. */
  #at = 0;
  /** Number of ticks that this side has read. */
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

  // Worker.

  /**
   * Records an input word of the current tick.
   * @param {number} slot @param {number} word int32
   * @returns {number} the word
   */
  record(slot, word) {
    this.#entries[this.#at + 1 + slot] = word;
    return word;
  }

  /** Completes the current tick's entry. @param {number} tick its number */
  publish(tick) {
    this.#entries[this.#at] = tick;
    const logged = (Atomics.add(this.#header, HEADER.loggedTicks, 1) + 1) >>> 0;
    this.#at = (logged % this.#ticks) * this.#stride;
  }

  // Main thread.

  /**
   * Reads the ticks since the last call.
   * @param {(tick: number, words: Int32Array) => void} onTick is called for each; the words are valid
   *   until it returns
   * @returns {boolean} false when earlier ticks were overwritten before they were read
   */
  drain(onTick) {
    const logged = Atomics.load(this.#header, HEADER.loggedTicks) >>> 0;
    const fresh = (logged - this.#read) >>> 0;
    let complete = fresh <= this.#ticks;
    const first = complete ? this.#read : (logged - this.#ticks) >>> 0;
    const copy = [];
    for (let i = 0; i < Math.min(fresh, this.#ticks); i++) {
      const at = (((first + i) >>> 0) % this.#ticks) * this.#stride;
      copy.push(this.#entries.slice(at, at + this.#stride));
    }
    this.#read = logged;
    // Drops copies that the worker may have overwritten meanwhile. A read-modify-write instead of a load: the plain
    // reads above cannot be delayed past it (see CheckpointSlots.copy()).
    const now = Atomics.or(this.#header, HEADER.loggedTicks, 0) >>> 0;
    const overwritten = Math.max(0, ((now - first) >>> 0) + 1 - this.#ticks);
    if (overwritten > 0 && copy.splice(0, overwritten).length > 0) complete = false;
    for (const entry of copy) onTick(entry[0], entry.subarray(1, 1 + this.#slots));
    return complete;
  }
}
