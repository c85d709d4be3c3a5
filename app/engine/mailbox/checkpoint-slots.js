/**
 * Stores a worker's checkpoints for the next worker and for the main thread. The worker writes two slots in turn, so a
 * worker that dies while it writes one slot leaves the other intact. A slot's sequence number is odd while the slot is
 * written.
 */
import { PitvError } from '../../errors.js';
import { HEADER } from './layout.js';

/** Attempts of copy(), each of which fails if the worker writes the slot meanwhile. */
const MAX_TRIES = 8;

/** @typedef {{bytes: Uint8Array, tick: number}} Checkpoint */

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
    Atomics.store(this.#header, HEADER.checkpointTick, tick);
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
      const found = this.newest;
      if (!found || !head) return undefined;
      const copy = { bytes: found.bytes.slice(), tick: found.tick };
      // A read-modify-write instead of a load: plain reads may be delayed past an atomic load, but not past an atomic
      // store.
      const unchanged = Atomics.or(head, 0, 0) === before && (Number(before) & 1) === 0;
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
      throw new PitvError(
        'PITV_MAILBOX_SIZE',
        `The checkpoint has ${bytes.byteLength} bytes; there is room for ${maxBytes}.`,
      );
    }
    this.target.set(bytes);
    this.publish(bytes.byteLength, tick);
  }
}
