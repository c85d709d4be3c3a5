/**
 * Collects the ArrayBuffers of a clone. Each one travels once, however many views show it, and only from the first byte
 * to the last one that is shown. A Buffer of Node.js may lie in memory that it shares with others that have nothing to
 * do with it: of memory that only Buffers show, nothing but their bytes travels.
 */

import { TYPES, align, copyBytes, unreadable, viewOf } from './views.js';

/**
 * @typedef {object} Shown
 * @property {ArrayBuffer} buffer
 * @property {[start: number, end: number][]} ranges that views show
 * @property {boolean} onlyBuffers
 * @property {number} unit size of the largest element of a view
 */

export class SentBuffers {
  /** @type {Map<ArrayBuffer, number>} */
  #indexes = new Map();
  /** @type {Shown[]} */
  #shown = [];

  /**
   * Adds a buffer, or what a view shows of it.
   * @param {ArrayBuffer} buffer @param {ArrayBufferView} [view] without it, the whole buffer travels
   * @returns {number} index of the buffer
   */
  add(buffer, view) {
    const start = view?.byteOffset ?? 0;
    const { byteLength: bytes } = view ?? buffer;
    let index = this.#indexes.get(buffer);
    if (index === undefined) {
      index = this.#shown.push({ buffer, ranges: [], onlyBuffers: true, unit: 1 }) - 1;
      this.#indexes.set(buffer, index);
    }
    const shown = this.#shown[index];
    shown.ranges.push([start, start + bytes]);
    if (!Buffer.isBuffer(view)) shown.onlyBuffers = false;
    shown.unit = Math.max(shown.unit, /** @type {any} */ (view)?.BYTES_PER_ELEMENT ?? 1);
    return index;
  }

  /**
   * Writes the table: the number of buffers, for each buffer one more than its maximum size, or 0 if its size is fixed,
   * the number of its segments, and their starts and lengths.
   * @param {(number: number) => void} write @param {Uint8Array[]} segments gets the bytes
   */
  write(write, segments) {
    write(this.#shown.length);
    for (const { buffer, ranges, onlyBuffers, unit } of this.#shown) {
      const { resizable, maxByteLength } = /** @type {any} */ (buffer);
      const parts = onlyBuffers ? union(ranges) : [hull(ranges, unit)];
      write(resizable ? maxByteLength + 1 : 0);
      write(parts.length);
      for (const [start, end] of parts) {
        write(start);
        write(end - start);
        segments.push(new Uint8Array(buffer, start, end - start));
      }
    }
  }

  clear() {
    if (this.#shown.length === 0) return;
    this.#indexes.clear();
    this.#shown = [];
  }
}

/**
 * @param {[number, number][]} ranges
 * @param {number} unit
 * @returns {[number, number]} from a multiple of the unit, so that the elements of all views lie at multiples of theirs
 */
const hull = (ranges, unit) =>
  ranges.reduce(
    ([start, end], range) => [
      Math.min(start, range[0] - (range[0] % unit)),
      Math.max(end, range[1]),
    ],
    [Infinity, 0],
  );

/** @param {[number, number][]} ranges @returns {[number, number][]} the same bytes without overlaps, in order */
function union(ranges) {
  /** @type {[number, number][]} */
  const parts = [];
  for (const [start, end] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = parts.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else parts.push([start, end]);
  }
  return parts;
}

/**
 * @typedef {object} Segment a part of an ArrayBuffer
 * @property {number} start in the ArrayBuffer @property {number} bytes
 * @property {number} at in the body
 * @property {ArrayBuffer} [copy]
 *
 * @typedef {object} Received an ArrayBuffer
 * @property {number} maxBytes of a resizable one, -1
 * @property {Segment[]} segments
 */

/** The buffers of a clone that is read. Each is copied when it is first used. */
export class ReceivedBuffers {
  #body;
  /** @type {Received[]} */
  #buffers = [];

  /**
   * @param {Uint8Array} body @param {number} first where the bytes begin
   * @param {() => number} read reads a number of the table
   */
  constructor(body, first, read) {
    this.#body = body;
    let at = first;
    for (let buffers = read(); buffers > 0; buffers--) {
      const maxBytes = read() - 1;
      /** @type {Segment[]} */
      const segments = [];
      for (let rest = read(); rest > 0; rest--) {
        const start = read();
        const bytes = read();
        if (at + bytes > body.length) throw unreadable('a buffer has no valid length');
        segments.push({ start, bytes, at });
        at = align(at + bytes);
      }
      this.#buffers.push({ maxBytes, segments });
    }
  }

  /**
   * @param {number} index @param {number} type see views.js; that of an ArrayBuffer is for all of it
   * @param {boolean} tracks whether its length follows that of its buffer
   * @param {number} offset @param {number} bytes
   */
  view(index, type, tracks, offset, bytes) {
    const { maxBytes, segments } = this.#buffers[index] ?? { maxBytes: -1, segments: [] };
    const segment = segments.find(
      ({ start, bytes: length }) => start <= offset && offset + bytes <= start + length,
    );
    if (!segment) throw unreadable('there is no such buffer');
    segment.copy ??= this.#read(segment, maxBytes);
    const from = offset - segment.start;
    const constructor = TYPES[type];
    if (tracks && constructor) return new constructor(segment.copy, from);
    return viewOf(type, segment.copy, from, bytes);
  }

  /** @param {Segment} segment @param {number} maxBytes @returns {ArrayBuffer} */
  #read({ at, bytes }, maxBytes) {
    if (maxBytes < 0) {
      return /** @type {ArrayBuffer} */ (copyBytes(this.#body, at, bytes).buffer);
    }
    const buffer = new /** @type {any} */ (ArrayBuffer)(bytes, { maxByteLength: maxBytes });
    new Uint8Array(buffer).set(this.#body.subarray(at, at + bytes));
    return buffer;
  }
}
