/** Writes numbers, arrays of them, and strings into memory that grows. */
import { areInt32 } from './array-keys.js';
import { SHORT_CHARS, TAG } from './clone-tags.js';
import { MAX_MESSAGE_BYTES } from './layout.js';
import { tooLarge } from './views.js';

const INITIAL_BYTES = 1024;
/** Larger memory is given back after its message. */
const KEPT_BYTES = 1 << 20;

const { latin1Write, ucs2Write } = /** @type {any} */ (Buffer.prototype);
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
