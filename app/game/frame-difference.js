/**
 * Differences between frames. A screen that has the last two frames of a match gets the next one as its difference from
 * their continuation: a body that goes on moving as before takes one byte instead of fourteen. The screen restores the
 * whole frame, byte by byte. difference-writer.js makes differences. The browser uses this file, too.
 *
 *   header   24 B  as in a frame, but with DIFFERENCE_TYPE
 *   bases     8 B  u32 tick of the last frame, u32 tick of the one before
 *   events    2 B  u8 index of the first kept event in the last frame, u8 number of kept events
 *   players  12 B  each, as in a frame
 *   events    8 B  each that is not kept
 *   bodies   a code for each body of the last frame and each new one, in the order of the new frame:
 *              16-255   the body goes on: high nibble - 8 and low nibble - 8 are added to the expected x and y
 *              added    u8[14] follow, the whole body
 *              removed  the body of the last frame is left out
 *              changed  u8 mask follows, then the fields in it
 *
 * The expected position and angle continue the motion from the frame before to the last one.
 */
import {
  BODY_AT,
  BODY_BYTES,
  EVENT_BYTES,
  FRAME_TYPE,
  HEADER_AT,
  HEADER_BYTES,
  PLAYER_BYTES,
  decodeHeader,
} from './frame.js';

/** In the place of FRAME_TYPE, so that a reader of frames rejects a difference. */
export const DIFFERENCE_TYPE = 2;

export const BASES_BYTES = 8;
export const KEPT_BYTES = 2;
export const CODE = Object.freeze({ added: 0, removed: 1, changed: 2 });
/** Codes from here on are motions. */
const FIRST_MOTION = 16;
/** The nibble for 0. */
export const NIBBLE_ZERO = 8;
/** Bits of the mask of a changed body. */
export const FIELD = Object.freeze({ position: 1, size: 2, kind: 4, angle: 8, state: 16 });

export const WORDS = BODY_BYTES / 2;
export const WORD_AT = Object.freeze({
  x: BODY_AT.x / 2,
  y: BODY_AT.y / 2,
  a: BODY_AT.a / 2,
  b: BODY_AT.b / 2,
});

/** A frame with its bodies as words, at an aligned address. */
export class Base {
  /** @type {Uint8Array} */
  bytes = new Uint8Array(0);
  /** @type {Int16Array} */
  words = new Int16Array(0);
  length = 0;
  match = -1;
  tick = -1;
  events = 0;
  bodies = 0;
  /** Offset of the events, bytes. */
  eventsAt = 0;
  /** Offset of the bodies, bytes. */
  bodiesAt = 0;

  get frame() {
    return this.bytes.subarray(0, this.length);
  }

  /** Copies a frame. @param {Uint8Array} frame @throws {RangeError} if it is not a complete frame */
  copy(frame) {
    if (this.bytes.length < frame.length) {
      this.bytes = new Uint8Array(frame.length + (frame.length >> 1));
    }
    this.bytes.set(frame);
    return this.#describe(frame.length);
  }

  /** Uses the memory of a frame. @param {Uint8Array} frame aligned to 2 bytes */
  adopt(frame) {
    this.bytes = frame;
    return this.#describe(frame.length);
  }

  /** @param {number} length */
  #describe(length) {
    const head = decodeHeader(this.bytes.subarray(0, length));
    this.length = length;
    this.match = head.match;
    this.tick = head.tick;
    this.events = head.counts.events;
    this.bodies = head.counts.bodies;
    this.eventsAt = head.eventsAt;
    this.bodiesAt = head.bodiesAt;
    const start = this.bytes.byteOffset + this.bodiesAt;
    this.words = new Int16Array(this.bytes.buffer, start, this.bodies * WORDS);
    return this;
  }
}

/** Index of a body in a frame by its id. An entry is valid only if the frame has the id there. */
const indexById = new Uint16Array(65536);

/** Enters a frame's bodies into the index. @param {Base} base */
export function fillIndex({ words, bodies }) {
  for (let i = 0, w = 0; i < bodies; i++, w += WORDS) indexById[words[w] & 0xffff] = i;
}

/** Returns the index of a body after fillIndex(), or -1. @param {Base} base @param {number} id */
export function indexOf({ words, bodies }, id) {
  const i = indexById[id];
  return i < bodies && (words[i * WORDS] & 0xffff) === id ? i : -1;
}

/** The expected x, y and angle of a body; one object, reused. */
export const expected = { x: 0, y: 0, angle: 0 };

/** Continues the motion of a body. @param {Base} last @param {number} j index @param {Base} before after fillIndex() */
export function expect(last, j, before) {
  const w = j * WORDS;
  const at = last.bodiesAt + j * BODY_BYTES;
  expected.x = last.words[w + WORD_AT.x];
  expected.y = last.words[w + WORD_AT.y];
  expected.angle = last.bytes[at + BODY_AT.angle];
  const k = indexOf(before, last.words[w] & 0xffff);
  if (k < 0) return;
  const p = k * WORDS;
  expected.x += expected.x - before.words[p + WORD_AT.x];
  expected.y += expected.y - before.words[p + WORD_AT.y];
  const angle = before.bytes[before.bodiesAt + k * BODY_BYTES + BODY_AT.angle];
  expected.angle = (2 * expected.angle - angle) & 0xff;
}

/** Restores frames from frames and differences. */
export class DifferenceReader {
  /** @type {Base | null} */
  #last = null;
  /** @type {Base | null} */
  #before = null;

  /**
   * Reads a message of the TV.
   * @param {ArrayBuffer} buffer a frame or a difference
   * @returns {ArrayBuffer | null} the frame; null if the message is malformed, or a difference from other frames than
   *   the last two
   */
  read(buffer) {
    const bytes = new Uint8Array(buffer);
    try {
      const frame = bytes[HEADER_AT.type] === DIFFERENCE_TYPE ? this.#restore(bytes) : bytes;
      const base = new Base().adopt(frame);
      this.#before = this.#last;
      this.#last = base;
      return /** @type {ArrayBuffer} */ (frame.buffer);
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** @param {Uint8Array} bytes @returns {Uint8Array} the whole frame @throws {RangeError} */
  #restore(bytes) {
    const last = this.#last;
    const before = this.#before;
    const view = new DataView(bytes.buffer);
    const isComplete = bytes.length >= HEADER_BYTES + BASES_BYTES + KEPT_BYTES;
    if (
      !last ||
      !before ||
      !isComplete ||
      view.getUint16(HEADER_AT.match, true) !== last.match ||
      view.getUint32(HEADER_BYTES, true) !== last.tick ||
      view.getUint32(HEADER_BYTES + 4, true) !== before.tick
    ) {
      throw new RangeError('a difference from other frames');
    }
    const players = view.getUint8(HEADER_AT.players) * PLAYER_BYTES;
    const events = view.getUint8(HEADER_AT.events);
    const bodies = view.getUint16(HEADER_AT.bodies, true);
    const eventsAt = HEADER_BYTES + players;
    const bodiesAt = eventsAt + events * EVENT_BYTES;
    const frame = new Uint8Array(bodiesAt + bodies * BODY_BYTES);
    const input = new Input(bytes);
    frame.set(input.take(HEADER_BYTES));
    frame[HEADER_AT.type] = FRAME_TYPE;
    input.take(BASES_BYTES);
    const [first, kept] = input.take(KEPT_BYTES);
    if (first + kept > last.events || kept > events) throw new RangeError('wrong events');
    frame.set(input.take(players), HEADER_BYTES);
    const keptFrom = last.eventsAt + first * EVENT_BYTES;
    frame.set(last.bytes.subarray(keptFrom, keptFrom + kept * EVENT_BYTES), eventsAt);
    frame.set(input.take((events - kept) * EVENT_BYTES), eventsAt + kept * EVENT_BYTES);
    restoreBodies(input, frame, bodiesAt, last, before);
    return frame;
  }
}

/** Bytes that are read from the beginning to the end. */
class Input {
  at = 0;

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
  }

  /** @param {number} count @returns {Uint8Array} @throws {RangeError} */
  take(count) {
    const end = this.at + count;
    if (end > this.bytes.length) throw new RangeError('the difference is truncated');
    const part = this.bytes.subarray(this.at, end);
    this.at = end;
    return part;
  }

  /** @returns {number} */
  byte() {
    if (this.at >= this.bytes.length) throw new RangeError('the difference is truncated');
    return this.bytes[this.at++];
  }
}

/**
 * @param {Input} input @param {Uint8Array} frame @param {number} bodiesAt offset of its bodies
 * @param {Base} last @param {Base} before
 */
function restoreBodies(input, frame, bodiesAt, last, before) {
  fillIndex(before);
  const view = new DataView(frame.buffer);
  let j = 0;
  let at = bodiesAt;
  while (input.at < input.bytes.length) {
    const code = input.byte();
    if (code === CODE.removed) {
      j++;
      continue;
    }
    if (at + BODY_BYTES > frame.length) throw new RangeError('too many bodies');
    if (code === CODE.added) frame.set(input.take(BODY_BYTES), at);
    else if (j >= last.bodies) throw new RangeError('a body that is not in the last frame');
    else {
      const lastAt = last.bodiesAt + j * BODY_BYTES;
      frame.set(last.bytes.subarray(lastAt, lastAt + BODY_BYTES), at);
      expect(last, j++, before);
      frame[at + BODY_AT.angle] = expected.angle;
      const moved = code >= FIRST_MOTION;
      const dx = moved ? (code >> 4) - NIBBLE_ZERO : 0;
      const dy = moved ? (code & 15) - NIBBLE_ZERO : 0;
      view.setInt16(at + BODY_AT.x, expected.x + dx, true);
      view.setInt16(at + BODY_AT.y, expected.y + dy, true);
      if (!moved) restoreFields(input, code, frame, at);
    }
    at += BODY_BYTES;
  }
  if (at !== frame.length) throw new RangeError('too few bodies');
}

/** @param {Input} input @param {number} code @param {Uint8Array} frame @param {number} at offset of the body */
function restoreFields(input, code, frame, at) {
  if (code !== CODE.changed) throw new RangeError('an unknown code');
  const mask = input.byte();
  if (mask & FIELD.position) frame.set(input.take(BODY_AT.a - BODY_AT.x), at + BODY_AT.x);
  if (mask & FIELD.size) frame.set(input.take(BODY_AT.kind - BODY_AT.a), at + BODY_AT.a);
  if (mask & FIELD.kind) frame.set(input.take(BODY_AT.angle - BODY_AT.kind), at + BODY_AT.kind);
  if (mask & FIELD.angle) frame[at + BODY_AT.angle] = input.byte();
  if (mask & FIELD.state) frame[at + BODY_AT.state] = input.byte();
}
