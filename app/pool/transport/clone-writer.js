/**
 * Writes a structured clone. What arrives is what structuredClone() returns, with three differences: views of allocated
 * memory (arena.js) refer to the same bytes, a DOMException keeps its class on Node.js 20, too, and of an ArrayBuffer
 * only the part arrives that views in the value show. node:v8 could do the rest, but each of its Serializer objects
 * keeps native memory until V8 collects garbage, which it does late for small objects.
 *
 * The values are followed by a table of the buffers and the text of short strings, then, outside of the clone, by the
 * bytes of the buffers, which `segments` lists.
 */
import { types } from 'node:util';
import { ByteWriter, END, NEW_KEY, TAG } from './clone-bytes.js';
import {
  areNumbers,
  clonesAsPlain,
  dataCloneError,
  describeError,
  isOutOfBounds,
  isPlain,
  isSparse,
  namedKeysOf,
  tracksLength,
} from './cloneable.js';
import { SentBuffers } from './clone-buffers.js';
import { checkAttached, typeOf } from './views.js';

/** After more objects, the memory of their numbers is given back. */
const KEPT_OBJECTS = 1024;
/** The contents of objects that are nested more deeply, and of sparse arrays, are written after the others. */
const NESTED_DEPTH = 200;
/** Maps and others are not. V8 has a limit of 1,600 to 2,500 levels. */
const MAX_DEPTH = 1000;

/** A shorter array of numbers is written as others are. */
const MIN_NUMBERS = 16;
const entriesOf = Map.prototype.entries;
const valuesOf = Set.prototype.values;

/**
 * @typedef {object} Context how the values of a writer travel
 * @property {import('./codec.js').Blocks} [blocks]
 * @property {boolean} carriesParts whether a port carries what this code cannot write
 */

export class CloneWriter extends ByteWriter {
  /** Where the values end. */
  end = 0;
  /** Bytes of buffers, which follow the clone. @type {Uint8Array[]} */
  segments = [];
  /** Values for the port. @type {any[]} */
  parts = [];
  #context;
  /** @type {readonly any[]} */
  #moved = [];
  #depth = 0;
  /** Objects without their contents. @type {any[]} */
  #later = [];
  /** Numbers of the objects that have been written. @type {Map<object, number>} */
  #ids = new Map();
  /** @type {Map<string, number>} */
  #keys = new Map();
  #buffers = new SentBuffers();

  /** @param {Context} context */
  constructor(context) {
    super();
    this.#context = context;
  }

  /** Drops the clone. */
  clear() {
    super.clear();
    if (this.segments.length > 0) this.segments = [];
    if (this.parts.length > 0) this.parts = [];
  }

  /**
   * Writes a clone in place of the last one. A writer that has thrown must not be used again.
   * @param {any} value @param {readonly any[]} moved what is moved with it
   * @throws {DOMException} DataCloneError @throws {RangeError} too deep @throws {PitvError} PITV_POOL_TOO_LARGE
   */
  write(value, moved) {
    this.clear();
    this.#moved = moved;
    this.#write(value);
    for (const object of this.#later) this.#writeLater(object); // which may add more
    this.end = this.length;
    this.#buffers.write((number) => this.count(number), this.segments);
    this.writeText();
    if (this.#ids.size > KEPT_OBJECTS) this.#ids = new Map();
    else if (this.#ids.size > 0) this.#ids.clear();
    if (this.#keys.size > 0) this.#keys.clear();
    this.#buffers.clear();
    this.#moved = [];
    this.#later = [];
  }

  /** @param {any} value */
  #write(value) {
    switch (typeof value) {
      case 'undefined':
        return this.tag(TAG.undefined);
      case 'boolean':
        return this.tag(value ? TAG.true : TAG.false);
      case 'number':
        return this.number(value);
      case 'string':
        return this.string(value);
      case 'bigint':
        this.tag(TAG.bigint);
        return this.string(value.toString(16));
      case 'object':
        return value === null ? this.tag(TAG.null) : this.#object(value);
      default:
        throw dataCloneError(value);
    }
  }

  /** @param {any} object */
  #object(object) {
    const id = this.#ids.get(object);
    if (id !== undefined) {
      this.tag(TAG.reference);
      this.count(id);
      return;
    }
    this.#ids.set(object, this.#ids.size);
    const isArray = Array.isArray(object) && !types.isProxy(object);
    const isDeep = this.#depth >= NESTED_DEPTH && (isArray || isPlain(object));
    if (isDeep || (isArray && isSparse(object))) {
      this.#later.push(object);
      return this.tag(isArray ? TAG.laterArray : TAG.laterObject);
    }
    if (++this.#depth > MAX_DEPTH) throw new RangeError('The value is nested too deeply.');
    if (isArray) this.#array(object);
    else if (isPlain(object)) this.#plain(object);
    else this.#special(object);
    this.#depth--;
  }

  /** @param {any} object */
  #writeLater(object) {
    this.#depth = 0;
    if (Array.isArray(object)) this.count(object.length);
    this.#properties(object);
  }

  /** @param {Record<string, any>} object */
  #plain(object) {
    this.tag(TAG.object);
    this.#properties(object);
  }

  /** @param {any} object @param {string[]} [keys] */
  #properties(object, keys = Object.keys(object)) {
    for (const key of keys) {
      const value = object[key];
      if (value === undefined && !Object.hasOwn(object, key)) continue; // a getter has deleted it
      this.#key(key);
      this.#write(value);
    }
    this.tag(END);
  }

  /** @param {string} key */
  #key(key) {
    const known = this.#keys.get(key);
    if (known !== undefined) return this.count(known);
    this.#keys.set(key, this.#keys.size + NEW_KEY + 1);
    this.tag(NEW_KEY);
    this.string(key);
  }

  /** @param {any[]} array */
  #array(array) {
    const { length } = array;
    if (length >= MIN_NUMBERS && areNumbers(array)) this.numbers(array);
    else {
      this.tag(TAG.array);
      this.count(length);
      for (let i = 0; i < length; i++) {
        const value = array[i];
        if (value === undefined && !Object.hasOwn(array, i)) this.tag(TAG.hole);
        else this.#write(value);
      }
    }
    this.#properties(array, namedKeysOf(array));
  }

  /** @param {any} object neither a plain object nor an array */
  #special(object) {
    if (types.isMap(object)) {
      this.tag(TAG.map);
      for (const [key, value] of [...entriesOf.call(object)]) {
        this.#write(key);
        this.#write(value);
      }
      this.tag(TAG.end);
    } else if (types.isSet(object)) {
      this.tag(TAG.set);
      for (const value of [...valuesOf.call(object)]) this.#write(value);
      this.tag(TAG.end);
    } else if (types.isDate(object)) {
      this.tag(TAG.date);
      this.number(Date.prototype.getTime.call(object));
    } else if (types.isRegExp(object)) {
      this.tag(TAG.regExp);
      this.string(object.source);
      this.string(object.flags);
    } else if (types.isBoxedPrimitive(object) && !types.isSymbolObject(object)) {
      this.tag(TAG.boxed);
      this.#write(object.valueOf());
    } else if (object instanceof DOMException || types.isNativeError(object)) this.#error(object);
    else if (ArrayBuffer.isView(object) || types.isArrayBuffer(object)) this.#view(object);
    else this.#other(object);
  }

  /** @param {any} error */
  #error(error) {
    const { index, fields } = describeError(error);
    this.tag(TAG.error);
    this.count(index);
    this.#properties(fields);
  }

  /** @param {any} view or an ArrayBuffer */
  #view(view) {
    const type = typeOf(view);
    const isBuffer = type === 0;
    const buffer = isBuffer ? view : view.buffer;
    const offset = isBuffer ? 0 : view.byteOffset;
    const block = this.#context.blocks?.find(buffer);
    if (type < 0 || !types.isArrayBuffer(buffer) || (!block && this.#isPart(buffer))) {
      return this.#part(view);
    }
    if (block) {
      this.tag(TAG.blockView);
      this.count(type);
      this.count(offset);
      this.count(view.byteLength);
      this.count(block.id);
      this.count(block.at);
      this.count(block.size);
      return;
    }
    checkAttached(buffer);
    const isResizable = !isBuffer && /** @type {any} */ (buffer).resizable;
    if (isResizable && isOutOfBounds(view)) throw dataCloneError(view);
    const isWhole = isBuffer || isResizable || this.#moved.includes(buffer);
    const index = this.#buffers.add(buffer, isWhole ? undefined : view);
    this.tag(TAG.view);
    this.count(type);
    this.count(isResizable && tracksLength(view) ? 1 : 0);
    this.count(index);
    this.count(offset);
    this.count(view.byteLength);
  }

  /** Whether a buffer is moved by a port. @param {ArrayBuffer} buffer */
  #isPart(buffer) {
    return this.#context.carriesParts && this.#moved.includes(buffer);
  }

  /** @param {object} object of another class, or of Node.js */
  #other(object) {
    if (this.#moved.includes(object)) return this.#part(object);
    let isPlainClass = false;
    try {
      isPlainClass = !types.isSharedArrayBuffer(object) && clonesAsPlain(object);
    } catch (error) {
      if (!this.#context.carriesParts) throw error;
    }
    if (isPlainClass) this.#plain(object);
    else this.#part(object);
  }

  /** Leaves a value to the port. @param {object} value */
  #part(value) {
    if (!this.#context.carriesParts) throw dataCloneError(value);
    this.tag(TAG.part);
    this.count(this.parts.push(value) - 1);
  }
}
