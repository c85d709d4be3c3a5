/** Reads the numbers and strings of byte-writer.js. */
import { SHORT_CHARS, TAG } from './clone-tags.js';
import { unreadable } from './views.js';

const NUMBER = new Float64Array(1);
const NUMBER_BYTES = new Uint8Array(NUMBER.buffer);
const { latin1Slice, ucs2Slice } = /** @type {any} */ (Buffer.prototype);
/** Part of the text that is read at once. A string may keep it in memory, so it is not larger. */
const PAGE_CHARS = 2048;

export class ByteReader {
  body;
  at = 0;
  /** Where reading ends. */
  end;
  #textAt = 0;
  #textEnd = 0;
  #page = '';
  #pageStart = 0;
  #pageEnd = 0;

  /** @param {Uint8Array} body @param {number} end */
  constructor(body, end) {
    this.body = body;
    this.end = end;
  }

  /** Sets where the text of short strings is. @param {number} start @param {number} end */
  setText(start, end) {
    this.#textAt = start;
    this.#textEnd = end;
  }

  byte() {
    if (this.at >= this.end) throw unreadable('it ends too early');
    return this.body[this.at++];
  }

  count() {
    let byte = this.byte();
    let number = byte & 127;
    for (let factor = 128; byte >= 128; factor *= 128) {
      byte = this.byte();
      number += (byte & 127) * factor;
    }
    if (number > Number.MAX_SAFE_INTEGER) throw unreadable('a number is too large');
    return number;
  }

  double() {
    if (this.at + 8 > this.end) throw unreadable('it ends too early');
    for (let i = 0; i < 8; i++) NUMBER_BYTES[i] = this.body[this.at++];
    return NUMBER[0];
  }

  /** Reads a string with its tag. @returns {string} */
  readString() {
    return this.string(this.byte());
  }

  /** @param {number} tag @returns {string} */
  string(tag) {
    if (tag >= TAG.short && tag <= TAG.short + SHORT_CHARS) return this.#short(tag - TAG.short);
    if (tag !== TAG.latin1 && tag !== TAG.utf16) throw unreadable('there is no string');
    const length = this.count();
    const start = this.skip(tag === TAG.utf16 ? 2 * length : length);
    const slice = tag === TAG.latin1 ? latin1Slice : ucs2Slice;
    return slice.call(this.body, start, this.at);
  }

  /** @param {number} length @returns {string} */
  #short(length) {
    const start = this.#textAt;
    const end = start + length;
    if (end > this.#pageEnd) {
      if (end > this.#textEnd) throw unreadable('it ends too early');
      this.#pageStart = start;
      this.#pageEnd = Math.min(start + PAGE_CHARS, this.#textEnd);
      this.#page = latin1Slice.call(this.body, start, this.#pageEnd);
    }
    this.#textAt = end;
    return this.#page.slice(start - this.#pageStart, end - this.#pageStart);
  }

  /** @param {number} bytes @returns {number} where they begin */
  skip(bytes) {
    const start = this.at;
    this.at += bytes;
    if (this.at > this.end) throw unreadable('it ends too early');
    return start;
  }
}
