/**
 * Encodes values for a ring and decodes them. Simple values and typed arrays are copied as they are; other values are
 * structured-cloned (node:v8), and the typed arrays inside them are copied beside the clone. So each large array is
 * copied once into the ring and once out of it, and views of allocated memory (arena.js) are not copied at all.
 *
 * As with postMessage(), a Buffer arrives as a Uint8Array.
 */
import { Deserializer, Serializer } from 'node:v8';
import { PitvError } from '../../errors.js';
import { TYPES, align, bytesOf, copyView, typeOf, unreadable, viewOf } from './views.js';

/** Formats of a body. The two words of a record that belong to the format are named in parentheses. */
export const FORMAT = Object.freeze({
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  number: 4,
  view: 5, // bytes of a typed array, a DataView or an ArrayBuffer (type, length in bytes)
  block: 6, // a view of allocated memory (type)
  clone: 7, // a structured clone, then the bytes of its views (length of the clone)
  port: 8, // the value is a message on the worker's port
});

/** Added to the type of a view in a clone: the view is one of allocated memory. */
const IN_BLOCK = 0x100;

/**
 * Finds the allocated memory of a view, see arena.js.
 * @typedef {object} Blocks
 * @property {(buffer: ArrayBufferLike) => number | undefined} idOf undefined: the memory is not allocated memory
 * @property {(id: number) => [offset: number, bytes: number]} placeOf
 * @property {(id: number, offset: number, bytes: number) => ArrayBuffer} bufferOf
 */

/** A block's id, its place in the arena, and the place of the view in it. */
const BLOCK_WORDS = 5;
const BLOCK_BYTES = BLOCK_WORDS * 4;

class PayloadSerializer extends Serializer {
  /** @type {Uint8Array[]} */
  views = [];
  #blocks;

  /** @param {Blocks | undefined} blocks */
  constructor(blocks) {
    super();
    this.#blocks = blocks;
    /** @type {any} */ (this)._setTreatArrayBufferViewsAsHostObjects(true);
  }

  /** Is called by V8 for views and for objects that it cannot clone. @param {any} object */
  _writeHostObject(object) {
    const type = typeOf(object);
    if (type < 0) throw this._getDataCloneError(`${describe(object)} could not be cloned.`);
    if (object.buffer instanceof SharedArrayBuffer) {
      throw this._getDataCloneError('#<SharedArrayBuffer> could not be cloned.');
    }
    const block = this.#blocks?.idOf(object.buffer);
    if (block === undefined) {
      this.writeUint32(type);
      this.writeUint32(object.byteLength);
      this.views.push(bytesOf(object));
      return;
    }
    this.writeUint32(type | IN_BLOCK);
    this.writeUint32(block);
    for (const word of this.#blocks?.placeOf(block) ?? []) this.writeUint32(word);
    this.writeUint32(object.byteOffset);
    this.writeUint32(object.byteLength);
  }

  /** Is called by V8 as well. Creates an error as structuredClone() throws it. @param {string} message */
  _getDataCloneError(message) {
    return new DOMException(message, 'DataCloneError');
  }
}

/** @param {object} object */
const describe = (object) => `#<${object?.constructor?.name ?? 'Object'}>`;

class PayloadDeserializer extends Deserializer {
  #body;
  #at;
  #blocks;

  /** @param {Uint8Array} body @param {number} length of the clone @param {Blocks | undefined} blocks */
  constructor(body, length, blocks) {
    super(body.subarray(0, length));
    this.#body = body;
    this.#at = align(length);
    this.#blocks = blocks;
  }

  /** Is called by V8 for each value that _writeHostObject() has written. */
  _readHostObject() {
    const type = this.readUint32();
    if (type & IN_BLOCK) {
      const words = new Uint32Array(BLOCK_WORDS);
      for (let i = 0; i < BLOCK_WORDS; i++) words[i] = this.readUint32();
      return blockView(type & ~IN_BLOCK, words, this.#blocks);
    }
    const bytes = this.readUint32();
    const view = copyView(type, this.#body, this.#at, bytes);
    this.#at = align(this.#at + bytes);
    return view;
  }
}

/** @param {number} type @param {Uint32Array} words @param {Blocks | undefined} blocks */
function blockView(type, words, blocks) {
  const size = words[2];
  const offset = words[3];
  const bytes = words[4];
  if (!blocks || !TYPES[type] || offset + bytes > size) throw unreadable('there is no such block');
  return viewOf(type, blocks.bufferOf(words[0], words[1], size), offset, bytes);
}

/** Encodes one value after the other. */
export class Encoder {
  format = 0;
  first = 0;
  second = 0;
  /** Length of the body in bytes. */
  bytes = 0;
  /** @type {any} */
  #value;
  /** @type {Uint8Array[]} */
  #views = [];
  #blocks;
  /** @type {readonly any[]} */
  #transfers = [];
  /** @type {((buffer: ArrayBuffer) => unknown) | undefined} */
  #detach;

  /** @param {Blocks} [blocks] */
  constructor(blocks) {
    this.#blocks = blocks;
  }

  /**
   * Prepares a value. Call write() before the next value.
   * @param {any} value
   * @throws {DOMException} DataCloneError when the value cannot be cloned
   */
  prepare(value) {
    this.first = this.second = this.bytes = 0;
    if (value === undefined) this.format = FORMAT.undefined;
    else if (value === null) this.format = FORMAT.null;
    else if (typeof value === 'boolean') this.format = value ? FORMAT.true : FORMAT.false;
    else if (typeof value === 'number') {
      this.format = FORMAT.number;
      this.#value = value;
      this.bytes = 8;
    } else this.#prepareObject(value);
  }

  /** Prepares a record whose value is a message on the worker's port. */
  preparePort() {
    this.first = this.second = this.bytes = 0;
    this.format = FORMAT.port;
  }

  /**
   * Empties buffers after the value has been written: they have been moved.
   * @param {readonly any[]} transfers @param {((buffer: ArrayBuffer) => unknown) | undefined} detach
   */
  detachLater(transfers, detach) {
    this.#transfers = transfers;
    this.#detach = detach;
  }

  /** @param {any} value */
  #prepareObject(value) {
    const type = typeOf(value);
    if (type < 0 || (type > 0 && value.buffer instanceof SharedArrayBuffer)) {
      this.#prepareClone(value);
      return;
    }
    const buffer = type === 0 ? value : value.buffer;
    const block = this.#blocks?.idOf(buffer);
    this.first = type;
    if (block !== undefined && type !== 0) {
      this.format = FORMAT.block;
      const [at, size] = this.#blocks?.placeOf(block) ?? [0, 0];
      BLOCK[0] = block;
      BLOCK[1] = at;
      BLOCK[2] = size;
      BLOCK[3] = value.byteOffset;
      BLOCK[4] = value.byteLength;
      this.bytes = BLOCK_BYTES;
      return;
    }
    this.format = FORMAT.view;
    this.#value = bytesOf(value);
    this.second = this.bytes = value.byteLength;
  }

  /** @param {any} value */
  #prepareClone(value) {
    const serializer = new PayloadSerializer(this.#blocks);
    serializer.writeHeader();
    serializer.writeValue(value);
    const clone = serializer.releaseBuffer();
    this.format = FORMAT.clone;
    this.#value = clone;
    this.#views = serializer.views;
    this.first = this.bytes = clone.length;
    for (const view of this.#views) this.bytes = align(this.bytes) + view.length;
  }

  /**
   * Writes the body.
   * @param {Uint8Array} target @param {number} at a multiple of eight
   */
  write(target, at) {
    const { format } = this;
    if (format === FORMAT.number) {
      NUMBER[0] = this.#value;
      target.set(NUMBER_BYTES, at);
    } else if (format === FORMAT.block) {
      target.set(BLOCK_AS_BYTES, at);
    } else if (format >= FORMAT.view && format <= FORMAT.clone) {
      target.set(this.#value, at);
    }
    if (format === FORMAT.clone) {
      let next = at + this.#value.length;
      for (const view of this.#views) {
        next = align(next);
        target.set(view, next);
        next += view.length;
      }
      this.#views = [];
    }
    this.#value = undefined; // do not keep a large value until the next one
    if (this.#transfers.length === 0) return;
    for (const each of this.#transfers) this.#detach?.(each);
    this.#transfers = [];
  }
}

const NUMBER = new Float64Array(1);
const NUMBER_BYTES = new Uint8Array(NUMBER.buffer);
/** Between prepare() and write(). */
const BLOCK = new Uint32Array(BLOCK_WORDS);
const BLOCK_AS_BYTES = new Uint8Array(BLOCK.buffer);

/**
 * Decodes a value.
 * @param {number} format one of FORMAT @param {number} first @param {number} second
 * @param {Uint8Array} body @param {Blocks} [blocks]
 * @returns {any}
 * @throws {PitvError} PITV_POOL_MESSAGE
 */
export function decode(format, first, second, body, blocks) {
  switch (format) {
    case FORMAT.undefined:
      return undefined;
    case FORMAT.null:
      return null;
    case FORMAT.false:
      return false;
    case FORMAT.true:
      return true;
    case FORMAT.number:
      NUMBER_BYTES.set(body.subarray(0, 8));
      return NUMBER[0];
    case FORMAT.view:
      return copyView(first, body, 0, second);
    case FORMAT.block:
      return blockView(first, wordsOf(body), blocks);
    case FORMAT.clone:
      return decodeClone(body, first, blocks);
    default:
      throw unreadable(`it has the format ${format}`);
  }
}

/** @param {Uint8Array} body @returns {Uint32Array} the words of a block, which the writer cannot change any more */
function wordsOf(body) {
  if (body.length < BLOCK_BYTES) throw unreadable('there is no such block');
  return new Uint32Array(body.buffer, body.byteOffset, BLOCK_WORDS).slice();
}

/** @param {Uint8Array} body @param {number} length @param {Blocks | undefined} blocks */
function decodeClone(body, length, blocks) {
  if (length > body.length) throw unreadable('a clone has no valid length');
  try {
    const deserializer = new PayloadDeserializer(body, length, blocks);
    deserializer.readHeader();
    return deserializer.readValue();
  } catch (error) {
    if (error instanceof PitvError) throw error;
    throw unreadable('it is not a structured clone', error);
  }
}
