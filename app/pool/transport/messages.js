/**
 * Writes messages to a ring and reads them. A message is one record, or is cut into chunks if it is longer than the
 * ring allows. Where the ring is full, a worker blocks until there is space; the pool keeps records in an outbox until
 * its event loop is woken.
 */
import { receiveMessageOnPort } from 'node:worker_threads';
import { Encoder, FORMAT, clones, decode } from './codec.js';
import { FIELD, HEADER_BYTES, HEADER_WORDS, KIND, MAX_MESSAGE_BYTES, WAITING } from './layout.js';
import { RingReader, RingWriter } from './ring.js';
import { TYPES, allocateCopy, unreadable, viewOf } from './views.js';

/**
 * @typedef {object} Place of a request in the ring
 * @property {number} start @property {number} end
 *
 * @typedef {object} Pending a record that did not fit
 * @property {number[]} header without the length
 * @property {Uint8Array} body
 */

const NOTHING = new Uint8Array(0);

export class Sender {
  #ring;
  #memory;
  #wake;
  #encoder;
  #block;
  /** @type {Pending[]} */
  #outbox = [];

  /**
   * @param {import('./layout.js').RingMemory} memory
   * @param {(how: number) => void} wake wakes the reader
   * @param {import('./codec.js').Blocks} [blocks]
   * @param {import('node:worker_threads').MessagePort} [port] carries parts of values; threads only
   * @param {(() => void)} [block] blocks until the reader has freed space; without it, records wait in the outbox
   */
  constructor(memory, wake, blocks, port, block) {
    this.#ring = new RingWriter(memory);
    this.#memory = memory;
    this.#wake = wake;
    this.#encoder = new Encoder(blocks, port);
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

  /** Length of the last message's body. */
  get bytes() {
    return this.#encoder.bytes;
  }

  /**
   * Sends a value.
   * @param {number} kind one of KIND @param {number} id @param {number} handler
   * @param {any} [value] @param {readonly any[]} [transfers] what is moved
   * @returns {Place | undefined} undefined if the record cannot be revoked
   * @throws {unknown} see Encoder.prepare(); nothing has been sent then
   */
  send(kind, id, handler, value, transfers) {
    const encoder = this.#encoder;
    encoder.prepare(value, transfers);
    const { bytes } = encoder;
    const start = bytes <= this.#ring.maxBody && !this.full ? this.#reserve(bytes) : -1;
    if (start < 0) {
      this.#sendLater(kind, id, handler);
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

  /** Whether all of a request waits for space. @param {number} id */
  isUnsent(id) {
    const header = this.#outbox.find((record) => record.header[1] === id)?.header;
    return header !== undefined && (header[0] !== KIND.chunk || header[6] === 0);
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
   * @param {number} kind @param {number} id @param {number} handler
   */
  #sendLater(kind, id, handler) {
    const encoder = this.#encoder;
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

export class Receiver {
  #ring;
  #memory;
  #wake;
  #blocks;
  #port;
  #start = -1;
  /** A record in chunks. @type {Uint8Array | undefined} */
  #whole;
  #joined = 0;
  /** Its header. */
  #header = new Int32Array(HEADER_WORDS);
  /** @type {Uint8Array} */
  #body = NOTHING;
  #format = 0;
  #first = 0;
  #second = 0;
  /** The current record. */
  kind = 0;
  id = 0;
  handler = 0;

  /**
   * @param {import('./layout.js').RingMemory} memory
   * @param {(how: number) => void} wake wakes the writer
   * @param {import('./codec.js').Blocks} [blocks]
   * @param {import('node:worker_threads').MessagePort} [port] carries parts of values; threads only
   */
  constructor(memory, wake, blocks, port) {
    this.#ring = new RingReader(memory);
    this.#memory = memory;
    this.#wake = wake;
    this.#blocks = blocks;
    this.#port = port;
  }

  /**
   * Reads the next record. Call free() before the next one.
   * @returns {boolean} false: there is none
   * @throws {PitvError} PITV_POOL_MESSAGE: the other side has written invalid numbers
   */
  next() {
    for (;;) {
      this.#start = this.#ring.peek();
      if (this.#start === -1) return false;
      if (this.#start < 0) throw unreadable('a record has no valid length');
      const { words, bytes } = this.#memory;
      const at = this.#start >> 2;
      this.#body = bytes.subarray(this.#start + HEADER_BYTES, this.#start + words[at]);
      this.#readHeader(words, at);
      if (this.kind !== KIND.chunk) return true;
      if (this.#join()) return true;
    }
  }

  /** @param {Int32Array} words @param {number} at */
  #readHeader(words, at) {
    this.kind = words[at + FIELD.kind];
    this.id = words[at + FIELD.id];
    this.handler = words[at + FIELD.handler];
    this.#format = words[at + FIELD.format];
    this.#first = words[at + FIELD.first];
    this.#second = words[at + FIELD.second];
  }

  /** Appends a chunk and frees it. @returns {boolean} true: the record is complete, and is the current one */
  #join() {
    const [total, offset] = [this.#first, this.#second];
    const part = this.#body.subarray(0, total - offset); // records are aligned, chunks are not
    if (offset === 0) {
      const isValid = total >= HEADER_BYTES && total <= MAX_MESSAGE_BYTES + HEADER_BYTES;
      if (!isValid || part.length < HEADER_BYTES) throw unreadable('a chunk has no valid length');
      this.#header = new Int32Array(part.slice(0, HEADER_BYTES).buffer);
      this.#whole = new Uint8Array(allocateCopy(total - HEADER_BYTES));
      this.#joined = 0;
    }
    const whole = this.#whole;
    if (!whole || offset !== this.#joined || total !== HEADER_BYTES + whole.length)
      throw unreadable('a chunk is missing');
    if (offset === 0) whole.set(part.subarray(HEADER_BYTES));
    else whole.set(part, offset - HEADER_BYTES);
    this.#joined += part.length;
    this.free();
    if (this.#joined < total) return false;
    this.#whole = undefined;
    this.#readHeader(this.#header, 0);
    this.#body = whole;
    return true;
  }

  /** Claims the current record, a request. @returns {boolean} false: it was revoked */
  claim() {
    if (this.#start < 0 || this.#ring.claim(this.#start)) return true;
    this.takeParts();
    return false;
  }

  /** Takes the parts of the current record from the port: the next ones there belong to another record. */
  takeParts() {
    if (this.#format < FORMAT.parts) return undefined;
    const parts = this.#port && receiveMessageOnPort(this.#port)?.message;
    if (!Array.isArray(parts)) throw unreadable('a part is missing');
    return parts;
  }

  /** Length of the current record's body. */
  get bytes() {
    return this.#body.length;
  }

  /** Whether useClones() has to be called before the current record is decoded. */
  get lacksClones() {
    return !clones && (this.#format === FORMAT.clone || this.#format === FORMAT.parts);
  }

  /** Decodes the value of the current record. @returns {any} @throws {PitvError} PITV_POOL_MESSAGE */
  decode() {
    if (
      this.#start < 0 &&
      this.#format === FORMAT.view &&
      TYPES[this.#first] &&
      this.#second === this.#body.length
    ) {
      return viewOf(this.#first, /** @type {ArrayBuffer} */ (this.#body.buffer), 0, this.#second); // already a copy
    }
    const parts = this.takeParts();
    return decode(this.#format, this.#first, this.#second, this.#body, this.#blocks, parts);
  }

  /** Frees the current record. */
  free() {
    this.#body = NOTHING; // do not keep a large value until the next one
    if (this.#start < 0) return; // it was joined from chunks, which have been freed
    this.#start = -1;
    const how = this.#ring.release();
    if (how !== WAITING.no) this.#wake(how);
  }

  /** See RingReader. @param {number} how @returns {boolean} */
  awaitRecord(how) {
    return this.#ring.awaitRecord(how);
  }
}
