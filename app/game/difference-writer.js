/** Makes differences between frames; frame-difference.js describes them. */
import { BODY_AT, BODY_BYTES, EVENT_BYTES, HEADER_AT, HEADER_BYTES } from './frame.js';
import {
  BASES_BYTES,
  Base,
  CODE,
  DIFFERENCE_TYPE,
  FIELD,
  KEPT_BYTES,
  NIBBLE_ZERO,
  WORDS,
  WORD_AT,
  expect,
  expected,
  fillIndex,
  indexOf,
} from './frame-difference.js';

/** Larger frames have no difference: that of one with this length takes most of a millisecond. */
export const MAX_FRAME_BYTES = 64 * 1024;
/** The range of a motion's nibble. */
const MIN_STEP = -7;
const MAX_STEP = 7;

/** Makes differences from the frames of one match. It must get each of them. */
export class DifferenceWriter {
  #current = new Base();
  #last = new Base();
  #before = new Base();
  /** Number of frames of the match so far, up to 2. */
  #known = 0;
  #target = new Uint8Array(0);
  #at = 0;

  /** Returns a copy, for another stream of differences from the same frames. */
  clone() {
    const copy = new DifferenceWriter();
    if (this.#known === 2) copy.#before.copy(this.#before.frame);
    if (this.#known > 0) copy.#last.copy(this.#last.frame);
    copy.#known = this.#known;
    return copy;
  }

  /**
   * Returns the next frame's difference from the two before it.
   * @param {Uint8Array} frame
   * @returns {Uint8Array | null} valid until the next call; null if there are no two frames before it, if one of
   *   the three is longer than MAX_FRAME_BYTES, or if the difference would be longer than the frame
   */
  write(frame) {
    if (frame.length > MAX_FRAME_BYTES) {
      this.#known = 0;
      return null;
    }
    const current = this.#current.copy(frame);
    if (current.match !== this.#last.match) this.#known = 0;
    const difference = this.#known === 2 ? this.#encode(current) : null;
    [this.#current, this.#last, this.#before] = [this.#before, current, this.#last];
    this.#known = Math.min(2, this.#known + 1);
    return difference;
  }

  /** @param {Base} current */
  #encode(current) {
    const last = this.#last;
    // The longest code is that of an added body.
    const most = current.length + BASES_BYTES + KEPT_BYTES + current.bodies + last.bodies;
    if (this.#target.length < most) this.#target = new Uint8Array(most + (most >> 1));
    const target = this.#target;
    target.set(current.bytes.subarray(0, HEADER_BYTES));
    target[HEADER_AT.type] = DIFFERENCE_TYPE;
    const view = new DataView(target.buffer);
    view.setUint32(HEADER_BYTES, last.tick, true);
    view.setUint32(HEADER_BYTES + 4, this.#before.tick, true);
    this.#at = HEADER_BYTES + BASES_BYTES;
    const { first, kept } = keptEvents(current, last);
    target[this.#at++] = first;
    target[this.#at++] = kept;
    this.#put(current.bytes.subarray(HEADER_BYTES, current.eventsAt));
    this.#put(current.bytes.subarray(current.eventsAt + kept * EVENT_BYTES, current.bodiesAt));
    this.#encodeBodies(current);
    return this.#at < current.length ? target.subarray(0, this.#at) : null;
  }

  /** @param {Uint8Array} bytes */
  #put(bytes) {
    this.#target.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** @param {Base} current */
  #encodeBodies(current) {
    const last = this.#last;
    const before = this.#before;
    const target = this.#target;
    const isKept = keptBodies(current, last);
    fillIndex(before);
    let j = 0;
    for (let i = 0; i < current.bodies; i++) {
      while (j < last.bodies && !isKept[j]) {
        target[this.#at++] = CODE.removed;
        j++;
      }
      if (j < last.bodies && last.words[j * WORDS] === current.words[i * WORDS]) {
        expect(last, j, before);
        this.#encodeBody(current, i, last, j++);
      } else {
        const at = current.bodiesAt + i * BODY_BYTES;
        target[this.#at++] = CODE.added;
        this.#put(current.bytes.subarray(at, at + BODY_BYTES));
      }
    }
    while (j++ < last.bodies) target[this.#at++] = CODE.removed;
  }

  /** Writes a body of both frames. @param {Base} current @param {number} i @param {Base} last @param {number} j */
  #encodeBody(current, i, last, j) {
    const target = this.#target;
    const w = i * WORDS;
    const p = j * WORDS;
    const at = current.bodiesAt + i * BODY_BYTES;
    const lastAt = last.bodiesAt + j * BODY_BYTES;
    const now = current.bytes;
    const then = last.bytes;
    const dx = current.words[w + WORD_AT.x] - expected.x;
    const dy = current.words[w + WORD_AT.y] - expected.y;
    const isNear = dx >= MIN_STEP && dx <= MAX_STEP && dy >= MIN_STEP && dy <= MAX_STEP;
    const isSized =
      current.words[w + WORD_AT.a] !== last.words[p + WORD_AT.a] ||
      current.words[w + WORD_AT.b] !== last.words[p + WORD_AT.b];
    const isOther =
      now[at + BODY_AT.kind] !== then[lastAt + BODY_AT.kind] ||
      now[at + BODY_AT.owner] !== then[lastAt + BODY_AT.owner];
    const mask =
      (dx !== 0 || dy !== 0 ? FIELD.position : 0) |
      (isSized ? FIELD.size : 0) |
      (isOther ? FIELD.kind : 0) |
      (now[at + BODY_AT.angle] !== expected.angle ? FIELD.angle : 0) |
      (now[at + BODY_AT.state] !== then[lastAt + BODY_AT.state] ? FIELD.state : 0);
    if (isNear && (mask & ~FIELD.position) === 0) {
      target[this.#at++] = ((dx + NIBBLE_ZERO) << 4) | (dy + NIBBLE_ZERO);
      return;
    }
    target[this.#at++] = CODE.changed;
    target[this.#at++] = mask;
    if (mask & FIELD.position) this.#put(now.subarray(at + BODY_AT.x, at + BODY_AT.a));
    if (mask & FIELD.size) this.#put(now.subarray(at + BODY_AT.a, at + BODY_AT.kind));
    if (mask & FIELD.kind) this.#put(now.subarray(at + BODY_AT.kind, at + BODY_AT.angle));
    if (mask & FIELD.angle) target[this.#at++] = now[at + BODY_AT.angle];
    if (mask & FIELD.state) target[this.#at++] = now[at + BODY_AT.state];
  }
}

/** By the index of a body in the last frame: whether the writer keeps it; reused. */
let keptFlags = new Uint8Array(0);

/**
 * Tells which bodies of the last frame are in the current one, in the same order. The others are removed, and added
 * again if they are there at another place.
 * @param {Base} current @param {Base} last
 */
function keptBodies(current, last) {
  if (keptFlags.length < last.bodies) keptFlags = new Uint8Array(last.bodies * 2);
  fillIndex(current);
  let next = 0;
  for (let j = 0; j < last.bodies; j++) {
    const i = indexOf(current, last.words[j * WORDS] & 0xffff);
    keptFlags[j] = i >= next ? 1 : 0;
    if (i >= next) next = i + 1;
  }
  return keptFlags;
}

/** Finds the events of the last frame with which the current one begins. @param {Base} current @param {Base} last */
function keptEvents(current, last) {
  const isSame = (/** @type {number} */ i, /** @type {number} */ j) => {
    const a = current.eventsAt + i * EVENT_BYTES;
    const b = last.eventsAt + j * EVENT_BYTES;
    for (let k = 0; k < EVENT_BYTES; k++)
      if (current.bytes[a + k] !== last.bytes[b + k]) return false;
    return true;
  };
  for (let first = 0; first < last.events; first++) {
    let kept = 0;
    while (kept < current.events && first + kept < last.events && isSame(kept, first + kept))
      kept++;
    if (kept > 0) return { first, kept };
  }
  return { first: 0, kept: 0 };
}
