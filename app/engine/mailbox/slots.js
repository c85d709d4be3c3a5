/** Frames and checkpoints: slots that the worker writes while the main thread reads. */
import { PitvError } from '../../errors.js';
import { HEADER } from './layout.js';

/** Bit of the middle word: the middle buffer contains a frame that has not been read. */
const FRESH = 4;

/**
 * @typedef {object} Frame
 * @property {Uint8Array} bytes
 * @property {number} sequence uint32, number of the frame in this mailbox
 * @property {number} tick
 */

/**
 * Passes frames from the worker to the main thread. One of three buffers belongs to the writer, one to the reader, and
 * one is in the middle. Atomics.exchange() swaps a side's buffer with the middle one: neither side waits, and no frame
 * is torn.
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

/**
 * Attempts of CheckpointSlots.copy(), each of which fails if the worker writes the slot meanwhile. A worker writes the
 * newest slot only after the other one, so that few fail, unless it is broken: copying takes milliseconds.
 */
const MAX_TRIES = 2;

/** @typedef {{bytes: Uint8Array, tick: number}} Checkpoint */

/**
 * Stores a worker's checkpoints for the next worker and for the main thread. The worker writes two slots in turn, so a
 * worker that dies while it writes one slot leaves the other intact. A slot's sequence number is odd while the slot is
 * written.
 */
export class CheckpointSlots {
  #header;
  #slots;
  #onFault;

  /**
   * @param {Int32Array} header of the mailbox
   * @param {import('./layout.js').Slot[]} slots two
   * @param {() => void} onFault is called for each index or length out of range
   */
  constructor(header, slots, onFault) {
    this.#header = header;
    this.#slots = slots;
    this.#onFault = onFault;
  }

  /** @returns {Uint8Array} the slot for the next checkpoint; publish() completes it */
  get target() {
    const { head, body } = this.#slots[this.#nextSlot()];
    Atomics.or(head, 0, 1);
    // On arm64, stores after an atomic store may become visible before it, but stores after an atomic load that
    // follows it do not (Arm ARM, "Load-Acquire, Store-Release").
    Atomics.load(head, 0);
    return body;
  }

  /** Makes the content of `target` the newest checkpoint. @param {number} length bytes @param {number} tick */
  publish(length, tick) {
    const slot = this.#nextSlot();
    const { head } = this.#slots[slot];
    head[1] = length;
    head[2] = tick;
    Atomics.store(head, 0, ((head[0] | 1) + 1) | 0);
    Atomics.store(this.#header, HEADER.checkpoint, slot + 1);
  }

  #nextSlot() {
    const newest = Atomics.load(this.#header, HEADER.checkpoint);
    return newest === 1 ? 1 : 0;
  }

  /**
   * The newest complete checkpoint. Its bytes are in the mailbox: while a worker runs, use copy().
   * @returns {Checkpoint | undefined}
   */
  get newest() {
    const newest = Atomics.load(this.#header, HEADER.checkpoint);
    if (newest === 0) return undefined;
    const slot = this.#slots[newest - 1];
    if (!slot || slot.head[1] < 0 || slot.head[1] > slot.body.length) {
      this.#onFault();
      return undefined;
    }
    return { bytes: slot.body.subarray(0, slot.head[1]), tick: slot.head[2] };
  }

  /**
   * Copies the newest checkpoint. The copy is complete even if the worker writes meanwhile.
   * @returns {Checkpoint | undefined}
   */
  copy() {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const newest = Atomics.load(this.#header, HEADER.checkpoint);
      const head = this.#slots[newest - 1]?.head;
      const before = head && Atomics.load(head, 0);
      if (Number(before) & 1) continue;
      const found = this.newest;
      if (!found || !head) return undefined;
      const copy = { bytes: found.bytes.slice(), tick: found.tick };
      // A read-modify-write instead of a load: plain reads may be delayed past an atomic load, but not past an atomic
      // store.
      const unchanged = Atomics.or(head, 0, 0) === before;
      if (unchanged && Atomics.load(this.#header, HEADER.checkpoint) === newest) return copy;
    }
    return undefined;
  }

  /**
   * Writes a checkpoint on the main thread, before a worker starts.
   * @param {Uint8Array} bytes @param {number} tick
   * @throws {PitvError} PITV_MAILBOX_SIZE
   */
  put(bytes, tick) {
    const maxBytes = this.#slots[0].body.length;
    if (bytes.byteLength > maxBytes) {
      const sentence = `The checkpoint has ${bytes.byteLength} bytes; there is room for ${maxBytes}.`;
      throw new PitvError('PITV_MAILBOX_SIZE', sentence);
    }
    this.target.set(bytes);
    this.publish(bytes.byteLength, tick);
  }
}
