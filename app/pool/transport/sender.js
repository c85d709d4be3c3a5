/**
 * Writes records to a ring. A record that is longer than the ring allows is cut into chunks. Where the ring is full, a
 * worker blocks until there is space; the pool keeps records in an outbox until its event loop is woken.
 */
import { FIELD, HEADER_BYTES, HEADER_WORDS, KIND, WAITING } from './layout.js';
import { allocateCopy } from './large-memory.js';
import { RingWriter } from './ring.js';

/**
 * @typedef {import('./codec.js').Encoder} Encoder
 *
 * @typedef {object} Place of a request in the ring
 * @property {number} start @property {number} end
 *
 * @typedef {object} Pending a record that did not fit
 * @property {number[]} header without the length
 * @property {Uint8Array} body
 */

export class Sender {
  #ring;
  #memory;
  #wake;
  #block;
  /** @type {Pending[]} */
  #outbox = [];

  /**
   * @param {import('./layout.js').RingMemory} memory
   * @param {(how: number) => void} wake wakes the reader
   * @param {(() => void)} [block] blocks until the reader has freed space; without it, records wait in the outbox
   */
  constructor(memory, wake, block) {
    this.#ring = new RingWriter(memory);
    this.#memory = memory;
    this.#wake = wake;
    this.#block = block;
  }

  /** Whether records wait for space. */
  get full() {
    return this.#outbox.length > 0;
  }

  /** Whether the reader has freed all records. */
  get empty() {
    return !this.full && this.#ring.empty;
  }

  /**
   * Sends the value that the encoder has prepared.
   * @param {number} kind one of KIND @param {number} id @param {number} handler
   * @param {Encoder} encoder
   * @returns {Place | undefined} undefined if the record cannot be revoked
   * @throws {unknown} what postMessage() throws about a list of what is moved; nothing has been sent then
   */
  send(kind, id, handler, encoder) {
    const { bytes } = encoder;
    const start = bytes <= this.#ring.maxBody && !this.full ? this.#reserve(bytes) : -1;
    if (start < 0) {
      this.#sendLater(kind, id, handler, encoder);
      return undefined;
    }
    const at = start >> 2;
    const { words, bytes: target } = this.#memory;
    words[at + FIELD.kind] = kind;
    words[at + FIELD.id] = id;
    words[at + FIELD.handler] = handler;
    words[at + FIELD.format] = encoder.format;
    words[at + FIELD.first] = encoder.first;
    words[at + FIELD.second] = encoder.second;
    encoder.write(target, start + HEADER_BYTES);
    const how = this.#ring.publish();
    if (how !== WAITING.no) this.#wake(how);
    return { start, end: this.#ring.position };
  }

  /** Takes back a request. @param {Place} place @returns {boolean} false: the worker has it */
  revoke({ start, end }) {
    return this.#ring.revoke(start, end);
  }

  /** @param {number} bytes @returns {number} offset; -1 if there is no space and this side does not block */
  #reserve(bytes) {
    let start = this.#ring.reserve(bytes);
    while (start < 0 && this.#block) {
      if (this.#ring.awaitSpace(WAITING.blocked, bytes)) this.#block();
      start = this.#ring.reserve(bytes);
    }
    return start;
  }

  /**
   * Queues a record, in chunks if it is too long.
   * @param {number} kind @param {number} id @param {number} handler @param {Encoder} encoder
   */
  #sendLater(kind, id, handler, encoder) {
    const { format, first, second, bytes } = encoder;
    const header = [kind, id, 0, handler, format, first, second];
    if (bytes <= this.#ring.maxBody) {
      const body = new Uint8Array(bytes);
      encoder.write(body, 0);
      this.#outbox.push({ header, body });
    } else {
      const whole = new Uint8Array(allocateCopy(HEADER_BYTES + bytes));
      new Int32Array(whole.buffer, 0, HEADER_WORDS).set([HEADER_BYTES + bytes, ...header]);
      encoder.write(whole, HEADER_BYTES);
      const step = this.#ring.maxBody;
      for (let at = 0; at < whole.length; at += step) {
        const chunk = [KIND.chunk, id, 0, 0, 0, whole.length, at];
        this.#outbox.push({ header: chunk, body: whole.subarray(at, at + step) });
      }
    }
    this.flush();
  }

  /** Sends records of the outbox while there is space. */
  flush() {
    while (this.#outbox.length > 0) {
      const { header, body } = this.#outbox[0];
      let start = this.#reserve(body.length);
      if (start < 0 && this.#ring.awaitSpace(WAITING.eventLoop, body.length)) return;
      if (start < 0) start = this.#ring.reserve(body.length);
      this.#memory.words.set(header, (start >> 2) + FIELD.kind);
      this.#memory.bytes.set(body, start + HEADER_BYTES);
      this.#outbox.shift();
      const how = this.#ring.publish();
      if (how !== WAITING.no) this.#wake(how);
    }
  }
}
