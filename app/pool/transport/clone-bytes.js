/** The bytes of a clone: tags of its values, and numbers, arrays of them and strings in memory that grows. */
import { MAX_MESSAGE_BYTES } from './layout.js';
import { tooLarge, unreadable } from './views.js';

/** Tags of the values in a clone, see clone-writer.js. */
export const TAG = Object.freeze({
  undefined: 0, // the first ones are the indexes in CONSTANTS
  null: 1,
  false: 2,
  true: 3,
  integer: 4, // 32 bits, zigzag
  double: 5,
  latin1: 6, // length, characters of one byte
  utf16: 7, // length, characters of two bytes
  bigint: 8, // its hexadecimal digits, as a string
  reference: 9, // number of an object that has been written before
  object: 10, // keys and values up to END
  array: 11, // length, elements, keys and values up to END
  hole: 12, // an element that is missing
  end: 13, // of a Map or a Set
  map: 14, // keys and values up to `end`
  set: 15, // values up to `end`
  date: 16,
  regExp: 17,
  boxed: 18, // Object(1), Object('text')
  error: 19, // index in ERRORS; message, stack and cause up to END
  view: 20, // or an ArrayBuffer: type, whether it tracks the length, index of its ArrayBuffer, offset, bytes
  blockView: 21, // the same of allocated memory: type, offset, bytes; id, place and size of the memory
  part: 22, // index of a value that the port of a thread carries
  integers: 23, // an array of numbers: length, words; keys and values up to END
  doubles: 24,
  laterObject: 25, // its keys and values follow after the first value
  laterArray: 26, // its length, keys and values follow after the first value
  short: 64, // a short string: this plus its length
});

/** Up to this length, the characters of a string are not beside it but in the text at the end of the clone. */
const SHORT_CHARS = 32;

/** Ends keys and values. Key 1 is a new string; a larger one is one more than the number of an earlier string. */
export const END = 0;
export const NEW_KEY = 1;

/** The classes that errors keep in a clone, as with structuredClone(). DOMException is not in V8. @type {any[]} */
export const ERRORS = [
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  DOMException,
];

const INITIAL_BYTES = 1024;
/** Larger memory is given back after its message. */
const KEPT_BYTES = 1 << 20;

const { latin1Slice, latin1Write, ucs2Slice, ucs2Write } = /** @type {any} */ (Buffer.prototype);
const NUMBER = new Float64Array(1);
const NUMBER_BYTES = new Uint8Array(NUMBER.buffer);

export class ByteWriter {
  bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  /** Bytes that have been written. */
  length = 0;
  /** Characters of short strings. One call reads many of them. */
  text = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  textLength = 0;

  clear() {
    this.length = this.textLength = 0;
    if (this.bytes.length > KEPT_BYTES) this.bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
    if (this.text.length > KEPT_BYTES) this.text = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  }

  /** @param {number} bytes */
  reserve(bytes) {
    if (this.length + bytes > this.bytes.length)
      this.bytes = enlarge(this.bytes, this.length, bytes);
  }

  /** @param {number} tag */
  tag(tag) {
    this.reserve(1);
    this.bytes[this.length++] = tag;
  }

  /** Writes seven bits in each byte. @param {number} number 0..2^53 */
  count(number) {
    this.reserve(8);
    let rest = number;
    while (rest >= 128) {
      this.bytes[this.length++] = (rest & 127) | 128;
      rest = rest < 2 ** 31 ? rest >>> 7 : Math.floor(rest / 128);
    }
    this.bytes[this.length++] = rest;
  }

  /** @param {number} number */
  number(number) {
    const integer = number | 0;
    if (integer === number && (integer !== 0 || 1 / number > 0)) {
      this.tag(TAG.integer);
      this.count(((integer << 1) ^ (integer >> 31)) >>> 0);
    } else this.double(number);
  }

  /** @param {number} number */
  double(number) {
    this.reserve(9);
    this.bytes[this.length++] = TAG.double;
    NUMBER[0] = number;
    for (let i = 0; i < 8; i++) this.bytes[this.length++] = NUMBER_BYTES[i];
  }

  /** @param {number[]} array */
  numbers(array) {
    const { length } = array;
    const areIntegers = areInt32(array);
    const numbers = areIntegers ? new Int32Array(length) : new Float64Array(length);
    for (let i = 0; i < length; i++) numbers[i] = array[i]; // much faster than the constructor
    this.tag(areIntegers ? TAG.integers : TAG.doubles);
    this.count(length);
    this.reserve(numbers.byteLength);
    this.bytes.set(new Uint8Array(numbers.buffer), this.length);
    this.length += numbers.byteLength;
  }

  /** @param {string} text */
  string(text) {
    const { length } = text;
    if (length <= SHORT_CHARS && this.#short(text, length)) return;
    const isLatin1 = length > SHORT_CHARS && !/[^\0-\xff]/.test(text);
    this.tag(isLatin1 ? TAG.latin1 : TAG.utf16);
    this.count(length);
    this.reserve(isLatin1 ? length : 2 * length);
    const write = isLatin1 ? latin1Write : ucs2Write;
    this.length += write.call(this.bytes, text, this.length);
  }

  /**
   * Writes a short string to `text`.
   * @param {string} text @param {number} length @returns {boolean} false: it has characters of two bytes
   */
  #short(text, length) {
    if (this.textLength + SHORT_CHARS > this.text.length)
      this.text = enlarge(this.text, this.textLength, SHORT_CHARS);
    let all = 0;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      this.text[this.textLength + i] = code;
      all |= code;
    }
    if (all > 255) return false;
    this.textLength += length;
    this.tag(TAG.short + length);
    return true;
  }

  /** Appends the text. */
  writeText() {
    this.reserve(this.textLength);
    this.bytes.set(this.text.subarray(0, this.textLength), this.length);
    this.length += this.textLength;
  }
}

/**
 * @param {Buffer} bytes @param {number} length @param {number} more
 * @returns {Buffer<ArrayBuffer>} a copy that is at least twice as long
 */
function enlarge(bytes, length, more) {
  const needed = length + more;
  if (needed > MAX_MESSAGE_BYTES) throw tooLarge(needed);
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, bytes.length * 2));
  larger.set(bytes.subarray(0, length));
  return larger;
}

/** Whether all numbers have 32 bits. @param {number[]} array */
function areInt32(array) {
  for (let i = 0; i < array.length; i++) {
    const number = array[i];
    if ((number | 0) !== number || (number === 0 && 1 / number < 0)) return false;
  }
  return true;
}

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
