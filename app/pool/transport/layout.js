/**
 * Defines the shared memory between the pool and one worker. A page of control words is followed by two rings: requests
 * to the worker, responses from it. A ring contains records; a record is a header of eight words and a body.
 *
 * Every word that one side writes in a loop has a cache line of its own.
 */

/** Offsets of a ring's control words from its first one. */
export const CONTROL = Object.freeze({
  tail: 0, // position after the newest record; the writer changes it
  cancelled: 1, // id of a request that the worker must not begin; the pool changes it
  loaded: 2, // whether a thread has loaded its modules, see LOADED; both sides change it
  head: 16, // position of the oldest record; the reader changes it
  running: 17, // id of the request that the worker runs, or see RUNNING; both sides change it
  exhausted: 18, // 1: the worker, a process, ends for want of memory
  reader: 32, // how the reader waits, see WAITING
  writer: 48, // how the writer waits for space
});
const CONTROL_WORDS = 64;
export const CONTROL_BYTES = 4096;

/** Values of the word `running` that are not an id. */
export const RUNNING = Object.freeze({ none: 0, stopped: -1 });

/** Values of the word `loaded`. */
export const LOADED = Object.freeze({ no: 0, yes: 1, ends: 2 });

/** How a side waits, so that the other side knows how to wake it. */
export const WAITING = Object.freeze({ no: 0, blocked: 1, eventLoop: 2 });

/** Words of a record's header. Their meaning is that of a record's kind, except the first two. */
export const FIELD = Object.freeze({
  bytes: 0, // with the header; 0: the next record is at the beginning of the ring
  kind: 1,
  id: 2, // of the task
  state: 3, // of a request, see STATE
  handler: 4, // number of the function that handles a request
  format: 5, // of the body, see codec.js
  first: 6, // two words for the format
  second: 7,
});
export const HEADER_WORDS = 8;
export const HEADER_BYTES = 4 * HEADER_WORDS;

/** Kinds of records. */
export const KIND = Object.freeze({
  task: 1,
  handler: 2, // the file and the name of a function
  chunk: 3, // a part of a record that is longer than the ring allows
  ready: 4,
  result: 5,
  failure: 6, // the description of an error
  thrown: 7, // a thrown value that is no error
  trim: 8, // asks an idle worker to return freed memory to the system
});

/** The id of a failure that ends the worker. */
export const NO_TASK = 0;

/** A worker claims a request before it runs it. The pool can take back a request that is not claimed. */
export const STATE = Object.freeze({ waiting: 0, claimed: 1, revoked: 2 });

/** Size of a ring. Pages that no message has reached use no memory. */
export const RING_BYTES = 1 << 22;

/** Longest message, in bytes. Both sides need that much private memory for it. */
export const MAX_MESSAGE_BYTES = 1 << 30;

/** Values that messages and clones have by their index. @type {readonly any[]} */
export const CONSTANTS = Object.freeze([undefined, null, false, true]);

/** @param {number} ringBytes @returns {number} bytes of the shared memory of a worker */
export const linkBytes = (ringBytes) => CONTROL_BYTES + 2 * ringBytes;

/** Bytes of a ring that are seen at first. Short messages stay there. */
const FIRST_BYTES = 1 << 16;
const GROWTH = 8;

/** @typedef {(offset: number, bytes: number) => Uint8Array} View returns a part of a worker's shared memory */

/** @param {ArrayBuffer | SharedArrayBuffer} memory all of it @returns {View} */
export const viewOfAll = (memory) => (offset, bytes) => new Uint8Array(memory, offset, bytes);

/**
 * The memory of a ring. Only what records have reached is seen: V8 counts all that an ArrayBuffer shows as used, and
 * collects garbage for it.
 */
export class RingMemory {
  control;
  size;
  /** From the beginning of the ring. */
  bytes;
  /** The same memory. */
  words;
  #view;

  /** @param {Int32Array} control @param {number} size in bytes @param {View} view of this ring */
  constructor(control, size, view) {
    this.control = control;
    this.size = size;
    this.#view = view;
    this.bytes = view(0, Math.min(size, FIRST_BYTES));
    this.words = wordsOf(this.bytes);
  }

  /** Makes `bytes` and `words` contain what lies before `end`. @param {number} end 0..size */
  reach(end) {
    if (end > this.bytes.length) this.#grow(end);
  }

  /** @param {number} end */
  #grow(end) {
    let bytes = this.bytes.length;
    while (bytes < end) bytes *= GROWTH;
    this.bytes = this.#view(0, Math.min(this.size, bytes));
    this.words = wordsOf(this.bytes);
  }
}

/** @param {Uint8Array} bytes */
const wordsOf = ({ buffer, byteOffset, length }) => new Int32Array(buffer, byteOffset, length / 4);

/**
 * Returns the parts of a worker's shared memory.
 * @param {View} view of linkBytes(ringBytes) bytes
 * @param {number} ringBytes a power of two
 * @param {SharedArrayBuffer} [control] of CONTROL_BYTES, if the control words are elsewhere
 * @returns {{requests: RingMemory, responses: RingMemory}}
 */
export function ringsOf(view, ringBytes, control) {
  const words = control ? new Int32Array(control) : wordsOf(view(0, CONTROL_BYTES));
  const ring = (/** @type {number} */ index) => {
    const begin = CONTROL_BYTES + index * ringBytes;
    return new RingMemory(
      words.subarray(index * CONTROL_WORDS, (index + 1) * CONTROL_WORDS),
      ringBytes,
      (offset, bytes) => view(begin + offset, bytes),
    );
  };
  return { requests: ring(0), responses: ring(1) };
}
