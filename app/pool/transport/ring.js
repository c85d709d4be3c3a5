/**
 * A ring of records in shared memory with one writer and one reader. Neither side takes a lock: the writer publishes a
 * record by moving `tail`, the reader frees one by moving `head`. A writer that dies in the middle of a record has not
 * published it.
 *
 * Each side keeps its own position in private memory. The reader checks every number that the writer has written,
 * because a broken worker may write anything.
 *
 * test/pool/transport/ring.test.js runs this code in all interleavings of its atomic operations.
 */
import { CONTROL, FIELD, HEADER_BYTES, STATE, WAITING } from './layout.js';

/** Positions and lengths are multiples of this, so a header never crosses the end of the ring. */
const ALIGNMENT = HEADER_BYTES;
/**
 * An empty ring starts over when its last record ended this many times the length of the new one behind the beginning.
 * The same few pages then serve all short messages.
 */
const RESTART_FACTOR = 4;

export class RingWriter {
  #control;
  #memory;
  #size;
  #tail = 0;
  /** The tail after publish(). */
  #next = 0;
  /**
   * The position at which an empty ring was started over. What is left out before it is free, but until the reader has
   * passed it, the mark that leads the reader there has to stay.
   */
  #restart = 0;
  /** Offset of that mark. */
  #marker = 0;
  /** Both after publish(). */
  #nextRestart = 0;
  #nextMarker = 0;

  /** @param {import('./layout.js').RingMemory} memory zeroed, or used by no other writer than this before */
  constructor(memory) {
    this.#control = memory.control;
    this.#memory = memory;
    this.#size = memory.size;
  }

  /** Longest body of a record. A record of half the ring fits into an empty ring wherever the last one ended. */
  get maxBody() {
    return this.#size / 2 - HEADER_BYTES;
  }

  /**
   * Finds space for a record. Fill its header and its body, then call publish(). Until then, another call starts over.
   * @param {number} bodyBytes
   * @returns {number} offset of the header in the ring's bytes; -1 if there is no space
   */
  reserve(bodyBytes) {
    const bytes = (HEADER_BYTES + bodyBytes + ALIGNMENT - 1) & -ALIGNMENT;
    const head = Atomics.load(this.#control, CONTROL.head);
    const used = (this.#tail - head) | 0;
    const at = this.#tail & (this.#size - 1);
    const rest = this.#size - at;
    const restarts = used === 0 && at >= RESTART_FACTOR * bytes;
    const skips = bytes > rest || restarts;
    const needed = skips ? rest + bytes : bytes;
    const awaitsRestart = ((this.#restart - head) | 0) > 0;
    const fits = awaitsRestart
      ? at + bytes <= this.#marker
      : used >= 0 && needed <= this.#size - used;
    if (!awaitsRestart) this.#restart = head; // an old one would seem to lie ahead after 2^31 bytes
    if (!fits) return -1;
    this.#next = (this.#tail + needed) | 0;
    if (skips) this.#memory.reach(at + HEADER_BYTES);
    if (skips) this.#memory.words[at >> 2] = 0;
    this.#nextRestart = restarts ? (this.#tail + rest) | 0 : this.#restart;
    this.#nextMarker = restarts ? at : this.#marker;
    const start = skips ? 0 : at;
    this.#memory.reach(start + bytes);
    this.#memory.words[(start >> 2) + FIELD.bytes] = bytes;
    this.#memory.words[(start >> 2) + FIELD.state] = STATE.waiting;
    return start;
  }

  /** Passes the reserved record to the reader. @returns {number} one of WAITING: how to wake the reader */
  publish() {
    this.#tail = this.#next;
    this.#restart = this.#nextRestart;
    this.#marker = this.#nextMarker;
    Atomics.store(this.#control, CONTROL.tail, this.#tail);
    if (Atomics.load(this.#control, CONTROL.reader) === WAITING.no) return WAITING.no;
    return Atomics.exchange(this.#control, CONTROL.reader, WAITING.no);
  }

  /** Whether the reader has freed all records. */
  get empty() {
    return Atomics.load(this.#control, CONTROL.head) === this.#tail;
  }

  /** The position after the last record, for revoke(). */
  get position() {
    return this.#tail;
  }

  /**
   * Takes back a record, unless the reader has claimed it.
   * @param {number} start offset that reserve() returned @param {number} end `position` after publish()
   * @returns {boolean} false: the reader has it
   */
  revoke(start, end) {
    const head = Atomics.load(this.#control, CONTROL.head);
    if (((head - end) | 0) >= 0) return false; // the reader has freed it, and another record may be there
    const cell = (start >> 2) + FIELD.state;
    const was = Atomics.compareExchange(this.#memory.words, cell, STATE.waiting, STATE.revoked);
    return was === STATE.waiting;
  }

  /**
   * Announces that this side waits for space.
   * @param {number} how one of WAITING
   * @param {number} bodyBytes
   * @returns {boolean} false: there is space by now, do not wait
   */
  awaitSpace(how, bodyBytes) {
    Atomics.store(this.#control, CONTROL.writer, how);
    const start = this.reserve(bodyBytes);
    if (start < 0) return true;
    Atomics.store(this.#control, CONTROL.writer, WAITING.no);
    return false;
  }
}

export class RingReader {
  #control;
  #memory;
  #size;
  #head = 0;
  /** The head after release(). */
  #next = 0;

  /** @param {import('./layout.js').RingMemory} memory */
  constructor(memory) {
    this.#control = memory.control;
    this.#memory = memory;
    this.#size = memory.size;
  }

  /**
   * Finds the oldest record. It stays unchanged until release().
   * @returns {number} offset of its header; -1 if there is none; -2 if the writer has written invalid numbers
   */
  peek() {
    let available = (Atomics.load(this.#control, CONTROL.tail) - this.#head) | 0;
    if (available === 0) return -1;
    let at = this.#head & (this.#size - 1);
    this.#memory.reach(at + HEADER_BYTES);
    if (this.#memory.words[at >> 2] === 0) {
      this.#head = (this.#head + this.#size - at) | 0;
      available -= this.#size - at;
      at = 0;
    }
    const bytes = this.#memory.words[(at >> 2) + FIELD.bytes];
    const valid =
      bytes >= HEADER_BYTES &&
      bytes % ALIGNMENT === 0 &&
      bytes <= available &&
      at + bytes <= this.#size;
    if (!valid || available > 2 * this.#size) return -2;
    this.#memory.reach(at + bytes);
    this.#next = (this.#head + bytes) | 0;
    return at;
  }

  /**
   * Claims a request, so that the writer cannot take it back.
   * @param {number} start offset that peek() returned
   * @returns {boolean} false: the writer has taken it back
   */
  claim(start) {
    const cell = (start >> 2) + FIELD.state;
    const was = Atomics.compareExchange(this.#memory.words, cell, STATE.waiting, STATE.claimed);
    return was === STATE.waiting;
  }

  /** Frees the record that peek() returned. @returns {number} one of WAITING: how to wake the writer */
  release() {
    this.#head = this.#next;
    Atomics.store(this.#control, CONTROL.head, this.#head);
    if (Atomics.load(this.#control, CONTROL.writer) === WAITING.no) return WAITING.no;
    return Atomics.exchange(this.#control, CONTROL.writer, WAITING.no);
  }

  /**
   * Announces that this side waits for a record.
   * @param {number} how one of WAITING
   * @returns {boolean} false: there is a record by now, do not wait
   */
  awaitRecord(how) {
    Atomics.store(this.#control, CONTROL.reader, how);
    if (Atomics.load(this.#control, CONTROL.tail) === this.#head) return true;
    Atomics.store(this.#control, CONTROL.reader, WAITING.no);
    return false;
  }
}
