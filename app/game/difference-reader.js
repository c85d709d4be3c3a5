/** Restores frames from differences; frame-difference.js describes them. The browser uses this file, too. */
import {
  BODY_AT,
  BODY_BYTES,
  EVENT_BYTES,
  FRAME_TYPE,
  HEADER_AT,
  HEADER_BYTES,
  PLAYER_BYTES,
} from './frame.js';
import {
  BASES_BYTES,
  Base,
  CODE,
  DIFFERENCE_TYPE,
  FIELD,
  FIRST_MOTION,
  KEPT_BYTES,
  NIBBLE_ZERO,
  expect,
  expected,
  fillIndex,
} from './frame-difference.js';

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
