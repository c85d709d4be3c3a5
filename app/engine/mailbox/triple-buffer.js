/**
 * Passes frames from the worker to the main thread. One of three buffers belongs to the writer, one to the reader, and
 * one is in the middle. Atomics.exchange() swaps a side's buffer with the middle one: neither side waits, and no frame
 * is torn.
 */
import { HEADER } from './layout.js';

/** Bit of the middle word: the middle buffer contains a frame that has not been read. */
const FRESH = 4;

/**
 * @typedef {object} Frame
 * @property {Uint8Array} bytes
 * @property {number} sequence uint32, number of the frame in this mailbox
 * @property {number} tick
 */

export class TripleBuffer {
  #header;
  #buffers;
  #onFault;
  /** Index of the reader's buffer. The main thread uses this copy, since a worker can overwrite the header. */
  #reader;

  /**
   * @param {Int32Array} header of the mailbox
   * @param {import('./layout.js').Slot[]} buffers three
   * @param {() => void} onFault is called for each index or length out of range
   */
  constructor(header, buffers, onFault) {
    this.#header = header;
    this.#buffers = buffers;
    this.#onFault = onFault;
    this.#reader = Math.min(header[HEADER.reader] & 3, 2);
  }

  /** Gives each side its first buffer. */
  initialize() {
    this.#header[HEADER.writer] = 0;
    this.#header[HEADER.middle] = 1;
    this.#header[HEADER.reader] = this.#reader = 2;
  }

  /** Gives the writer's buffer to the next worker. Main thread only. */
  resetWriter() {
    const header = this.#header;
    let middle = Atomics.load(header, HEADER.middle) & 3;
    if (middle > 2 || middle === this.#reader) {
      this.#onFault();
      middle = (this.#reader + 1) % 3;
      Atomics.store(header, HEADER.middle, middle);
    }
    header[HEADER.writer] = 3 - this.#reader - middle;
    header[HEADER.reader] = this.#reader;
  }

  /** @returns {Uint8Array} the buffer for the worker's next frame; changes with every publish() */
  get target() {
    return this.#buffers[this.#header[HEADER.writer]].body;
  }

  /** Makes the content of `target` the newest frame. @param {number} length bytes @param {number} tick */
  publish(length, tick) {
    const header = this.#header;
    const written = header[HEADER.writer];
    const { head } = this.#buffers[written];
    const sequence = (header[HEADER.frameSequence] + 1) | 0;
    header[HEADER.frameSequence] = sequence;
    head[0] = sequence;
    head[1] = length;
    head[2] = tick;
    header[HEADER.writer] = Atomics.exchange(header, HEADER.middle, written | FRESH) & 3;
  }

  /**
   * Takes the newest frame unless it has been taken. Its bytes stay unchanged until the next call.
   * @returns {Frame | undefined}
   */
  take() {
    const header = this.#header;
    if ((Atomics.load(header, HEADER.middle) & FRESH) === 0) return undefined;
    const given = this.#reader;
    const taken = Atomics.exchange(header, HEADER.middle, given) & 3;
    this.#reader = taken < 3 && taken !== given ? taken : this.#findUnused(given);
    header[HEADER.reader] = this.#reader;
    return this.last;
  }

  /**
   * Finds the buffer that neither side uses, after the middle word had an invalid value.
   * @param {number} given the buffer that is now in the middle
   */
  #findUnused(given) {
    this.#onFault();
    const writer = this.#header[HEADER.writer];
    return [0, 1, 2].find((i) => i !== given && i !== writer) ?? 0;
  }

  /** The frame that take() returned last. Its length is 0 before the first one. @returns {Frame} */
  get last() {
    const { head, body } = this.#buffers[this.#reader];
    return {
      bytes: body.subarray(0, this.#lengthOf(head, body)),
      sequence: head[0] >>> 0,
      tick: head[2],
    };
  }

  /** @param {Int32Array} head @param {Uint8Array} body @returns {number} 0..body.length */
  #lengthOf(head, body) {
    const length = head[1];
    if (length >= 0 && length <= body.length) return length;
    this.#onFault();
    return length < 0 ? 0 : body.length;
  }
}
