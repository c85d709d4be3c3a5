/** Reads a clone of clone-writer.js. It checks every number, because a broken worker may write anything. */
import { ByteReader, END, ERRORS, NEW_KEY, TAG } from './clone-bytes.js';
import { ReceivedBuffers } from './clone-buffers.js';
import { CONSTANTS } from './layout.js';
import { align, unreadable, viewOf } from './views.js';

/** Stands for an element that is missing, and for the end of a Map or a Set. */
const HOLE = Symbol('hole');
const DONE = Symbol('done');
/** One more than a writer writes. */
const MAX_DEPTH = 1001;

export class CloneReader extends ByteReader {
  #blocks;
  #parts;
  #depth = 0;
  /** Objects whose contents follow. @type {any[]} */
  #later = [];
  /** @type {any[]} */
  #objects = [];
  /** @type {string[]} */
  #keys = [];
  #buffers;

  /**
   * @param {Uint8Array} body @param {number} length of the clone @param {number} end of its values
   * @param {import('./codec.js').Blocks} [blocks] @param {any[]} [parts] values of the port
   */
  constructor(body, length, end, blocks, parts = []) {
    super(body, length);
    if (length > body.length || end > length) throw unreadable('a clone has no valid length');
    this.#blocks = blocks;
    this.#parts = parts;
    this.at = end;
    this.#buffers = new ReceivedBuffers(body, align(length), () => this.count());
    this.setText(this.at, length);
    this.at = 0;
    this.end = end;
  }

  /** @returns {any} */
  read() {
    const value = this.#value();
    for (const object of this.#later) {
      if (Array.isArray(object)) object.length = this.count();
      this.#properties(object);
    }
    if (this.at !== this.end) throw unreadable('a clone has no valid length');
    return value;
  }

  /** @returns {any} */
  #read() {
    const tag = this.byte();
    if (tag >= TAG.short) return this.string(tag);
    if (tag <= TAG.true) return CONSTANTS[tag];
    switch (tag) {
      case TAG.integer: {
        const zigzag = this.count();
        return (zigzag >>> 1) ^ -(zigzag & 1);
      }
      case TAG.double:
        return this.double();
      case TAG.latin1:
      case TAG.utf16:
        return this.string(tag);
      case TAG.bigint:
        return this.#bigint();
      case TAG.hole:
        return HOLE;
      case TAG.end:
        return DONE;
      case TAG.reference:
        return this.#reference();
    }
    if (++this.#depth > MAX_DEPTH) throw unreadable('it is nested too deeply');
    const object = this.#object(tag);
    this.#depth--;
    return object;
  }

  /** @returns {bigint} */
  #bigint() {
    const digits = this.readString();
    return digits[0] === '-' ? -BigInt(`0x${digits.slice(1)}`) : BigInt(`0x${digits}`);
  }

  #reference() {
    const object = this.#objects[this.count()];
    if (object === undefined) throw unreadable('there is no such object');
    return object;
  }

  /** Numbers an object as the writer has done. @template T @param {T} object @returns {T} */
  #add(object) {
    this.#objects.push(object);
    return object;
  }

  /** @param {number} tag @returns {object} */
  #object(tag) {
    switch (tag) {
      case TAG.object:
        return this.#properties(this.#add({}));
      case TAG.array:
        return this.#array();
      case TAG.integers:
      case TAG.doubles:
        return this.#numbers(tag);
      case TAG.laterObject:
      case TAG.laterArray: {
        const object = this.#add(tag === TAG.laterArray ? [] : {});
        this.#later.push(object);
        return object;
      }
      case TAG.map:
        return this.#map();
      case TAG.set:
        return this.#set();
      case TAG.date:
        return this.#add(new Date(Number(this.#value())));
      case TAG.regExp:
        return this.#add(new RegExp(this.readString(), this.readString()));
      case TAG.boxed:
        return this.#boxed();
      case TAG.error:
        return this.#error();
      case TAG.view:
        return this.#add(this.#view());
      case TAG.blockView:
        return this.#add(this.#blockView());
      case TAG.part:
        return this.#add(this.#part());
      default:
        throw unreadable(`it has the tag ${tag}`);
    }
  }

  /** @returns {string | undefined} undefined: there are no more */
  #key() {
    const code = this.count();
    if (code === END) return undefined;
    if (code !== NEW_KEY) {
      const known = this.#keys[code - NEW_KEY - 1];
      if (known === undefined) throw unreadable('there is no such key');
      return known;
    }
    const key = this.readString();
    this.#keys.push(key);
    return key;
  }

  /** @template {Record<string, any>} T @param {T} object @returns {T} */
  #properties(object) {
    for (let key = this.#key(); key !== undefined; key = this.#key()) {
      const value = this.#value();
      if (key === '__proto__') define(object, key, value, true);
      else /** @type {any} */ (object)[key] = value;
    }
    return object;
  }

  /** Reads a value that is not the end of something. */
  #value() {
    const value = this.#read();
    if (value === HOLE || value === DONE) throw unreadable('a value is missing');
    return value;
  }

  #array() {
    const length = this.count();
    if (length > this.end - this.at) throw unreadable('an array has no valid length');
    const array = this.#add(new Array(length));
    for (let i = 0; i < length; i++) {
      const value = this.#read();
      if (value === DONE) throw unreadable('a value is missing');
      if (value !== HOLE) array[i] = value;
    }
    return this.#properties(array);
  }

  /** @param {number} tag */
  #numbers(tag) {
    const length = this.count();
    const start = this.skip(length * (tag === TAG.doubles ? 8 : 4));
    const array = this.#add(/** @type {number[]} */ (new Array(length)));
    const { buffer } = Uint8Array.prototype.slice.call(this.body, start, this.at);
    const numbers = tag === TAG.doubles ? new Float64Array(buffer) : new Int32Array(buffer);
    for (let i = 0; i < length; i++) array[i] = numbers[i];
    return this.#properties(array);
  }

  #map() {
    const map = this.#add(new Map());
    for (let key = this.#read(); key !== DONE; key = this.#read()) map.set(key, this.#value());
    return map;
  }

  #set() {
    const set = this.#add(new Set());
    for (let value = this.#read(); value !== DONE; value = this.#read()) set.add(value);
    return set;
  }

  #boxed() {
    const index = this.#objects.push(undefined) - 1;
    const value = this.#value();
    if (Object(value) === value) throw unreadable('there is no primitive value');
    return (this.#objects[index] = Object(value));
  }

  #error() {
    const constructor = ERRORS[this.count()];
    if (!constructor) throw unreadable('there is no such error');
    if (constructor === DOMException) return this.#exception();
    const error = this.#add(create(constructor));
    for (let key = this.#key(); key !== undefined; key = this.#key()) {
      define(error, key, this.#value(), false);
    }
    return error;
  }

  #exception() {
    const index = this.#objects.push(undefined) - 1;
    /** @type {Record<string, any>} */
    const found = {};
    for (let key = this.#key(); key !== undefined; key = this.#key()) found[key] = this.#value();
    const { message, name, ...others } = found;
    const exception = new DOMException(message, name);
    for (const [key, value] of Object.entries(others)) define(exception, key, value, false);
    return (this.#objects[index] = exception);
  }

  #view() {
    const type = this.count();
    const tracks = this.count() === 1;
    return this.#buffers.view(this.count(), type, tracks, this.count(), this.count());
  }

  #blockView() {
    const [type, offset, bytes] = [this.count(), this.count(), this.count()];
    const [id, at, size] = [this.count(), this.count(), this.count()];
    if (!this.#blocks) throw unreadable('there is no such block');
    return viewOf(type, this.#blocks.bufferOf(id, at, size), offset, bytes);
  }

  #part() {
    const index = this.count();
    if (index >= this.#parts.length) throw unreadable('a value is missing');
    return this.#parts[index];
  }
}

/** @param {any} object @param {string} key @param {any} value @param {boolean} enumerable */
const define = (object, key, value, enumerable) =>
  Object.defineProperty(object, key, { value, enumerable, configurable: true, writable: true });

/** Creates an error without the costs of a stack. @param {any} constructor @returns {Error} */
function create(constructor) {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return new constructor();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
