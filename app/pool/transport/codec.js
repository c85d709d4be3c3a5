/**
 * Encodes values for a ring and decodes them. Simple values and typed arrays are copied as they are; other values are
 * structured-cloned (clone-writer.js), and the bytes of buffers inside them are copied beside the clone. So each large
 * buffer is copied once into the ring and once out of it, and views of allocated memory (arena.js) are not copied at
 * all.
 *
 * As with postMessage(), a Buffer arrives as a Uint8Array.
 */
import { empty } from '../movable.js';
import { CONSTANTS, MAX_MESSAGE_BYTES } from './layout.js';
import {
  align,
  bytesOf,
  checkAttached,
  copyView,
  isPlainView,
  tooLarge,
  typeOf,
  unreadable,
  viewOf,
} from './views.js';
import { PitvError } from '../../errors.js';

/** Formats of a body. The two words of a record that belong to the format are named in parentheses. */
export const FORMAT = Object.freeze({
  constant: 0, // no body (index in CONSTANTS)
  number: 1,
  view: 2, // bytes of a typed array, a DataView or an ArrayBuffer (type, length in bytes)
  block: 3, // a view of allocated memory (type)
  clone: 4, // a structured clone, then the bytes of its buffers (length of the clone, where its values end)
  parts: 5, // the same; a message on the worker's port has those parts that shared memory cannot carry
  message: 6, // the value is the only part of such a message
});

/**
 * @typedef {{id: number, at: number, size: number}} Block allocated memory, its place in the arena and its length
 *
 * @typedef {object} Blocks finds allocated memory, see arena.js
 * @property {(buffer: ArrayBufferLike) => Block | undefined} find undefined: the buffer is not allocated memory
 * @property {(id: number, at: number, size: number) => ArrayBuffer} bufferOf
 */

/** A block's id, its place in the arena, and the place of the view in it. */
const BLOCK_WORDS = 5;
const BLOCK_BYTES = BLOCK_WORDS * 4;

/** Writes and reads structured clones. @type {typeof import('../clones.js') | undefined} until useClones() */
export let clones;

/** @param {typeof import('../clones.js')} loaded */
export const useClones = (loaded) => void (clones = loaded);

/** @throws {TypeError} before useClones() */
export function loadedClones() {
  if (!clones) throw new TypeError('useClones() has not been called');
  return clones;
}

/** @type {readonly any[]} */
const NOTHING = Object.freeze([]);

/** Encodes one value after the other. */
export class Encoder {
  format = 0;
  first = 0;
  second = 0;
  /** Length of the body in bytes. */
  bytes = 0;
  /** @type {any} */
  #value;
  /** @type {readonly Uint8Array[]} */
  #segments = NOTHING;
  #blocks;
  #port;
  /** What write() empties. */
  #transfers = NOTHING;
  /** Undefined while it writes. @type {import('./clone-writer.js').CloneWriter | undefined} */
  #writer;

  /**
   * @param {Blocks} [blocks]
   * @param {import('node:worker_threads').MessagePort} [port] carries what shared memory cannot; threads only
   */
  constructor(blocks, port) {
    this.#blocks = blocks;
    this.#port = port;
  }

  #createWriter() {
    const carriesParts = this.#port !== undefined;
    return new (loadedClones().CloneWriter)({ blocks: this.#blocks, carriesParts });
  }

  /**
   * Prepares a value. Call write() before the next value. If this throws, nothing has been moved.
   * @param {any} value
   * @param {readonly any[]} [transferList] what is moved: emptied by write(), or by this function if a port carries it
   * @throws {unknown} what postMessage() throws: a DOMException (DataCloneError), or what a getter throws
   * @throws {PitvError} PITV_POOL_TOO_LARGE
   */
  prepare(value, transferList = NOTHING) {
    this.first = this.second = this.bytes = 0;
    this.#segments = this.#transfers = NOTHING; // of a value that could not be sent
    const constant = CONSTANTS.indexOf(value);
    if (transferList.length > 0) this.#prepareMoved(value, transferList);
    else if (constant >= 0) {
      this.format = FORMAT.constant;
      this.first = constant;
    } else if (typeof value === 'number') {
      this.format = FORMAT.number;
      this.#value = value;
      this.bytes = 8;
    } else if (!this.#prepareView(value)) this.#prepareClone(value, NOTHING);
    if (this.bytes > MAX_MESSAGE_BYTES) throw tooLarge(this.bytes);
  }

  /** @param {any} value @param {readonly any[]} transferList */
  #prepareMoved(value, transferList) {
    // Allocated memory stays where it is.
    const transfers = transferList.filter((each) => !this.#blocks?.find(each));
    const type = typeOf(value);
    const buffer = type > 0 ? value.buffer : value;
    if (this.#port && type >= 0 && transfers.includes(buffer)) {
      this.#port.postMessage([value], transfers);
      this.format = FORMAT.message;
      return;
    }
    const isWhole = type >= 0 && value.byteLength === buffer.byteLength;
    if (this.#port || !isWhole || !this.#prepareView(value)) this.#prepareClone(value, transfers);
    if (!this.#port) this.#transfers = transfers;
  }

  /** @param {any} value @returns {boolean} false: it is no view, or not one of plain bytes */
  #prepareView(value) {
    const type = typeOf(value);
    if (type < 0) return false;
    const buffer = type === 0 ? value : value.buffer;
    const block = this.#blocks?.find(buffer);
    if (!block) {
      if (!isPlainView(value)) return false;
      checkAttached(buffer);
      this.format = FORMAT.view;
      this.#value = bytesOf(value);
      this.second = this.bytes = value.byteLength;
    } else {
      this.format = FORMAT.block;
      BLOCK[0] = block.id;
      BLOCK[1] = block.at;
      BLOCK[2] = block.size;
      BLOCK[3] = type === 0 ? 0 : value.byteOffset;
      BLOCK[4] = value.byteLength;
      this.bytes = BLOCK_BYTES;
    }
    this.first = type;
    return true;
  }

  /** @param {any} value @param {readonly any[]} transfers */
  #prepareClone(value, transfers) {
    // A getter of the value may have another value encoded meanwhile.
    const writer = this.#writer ?? this.#createWriter();
    this.#writer = undefined;
    writer.write(value, transfers);
    this.#writer = writer;
    const { parts } = writer;
    this.#value = new Uint8Array(writer.bytes.buffer, 0, writer.length);
    this.#segments = writer.segments;
    this.first = this.bytes = writer.length;
    this.second = writer.end;
    for (const segment of this.#segments) this.bytes = align(this.bytes) + segment.length;
    this.format = FORMAT.clone;
    if (parts.length + transfers.length === 0 || !this.#port) return;
    if (this.bytes > MAX_MESSAGE_BYTES) throw tooLarge(this.bytes);
    this.#port.postMessage(parts, transfers);
    this.format = FORMAT.parts;
  }

  /**
   * Writes the body, then empties what has been moved. If this throws, do not send the body.
   * @param {Uint8Array} target @param {number} at a multiple of eight
   * @throws {unknown} what postMessage() throws about the list; nothing has been moved then
   */
  write(target, at) {
    const { format } = this;
    if (format === FORMAT.number) {
      NUMBER[0] = this.#value;
      target.set(NUMBER_BYTES, at);
    } else if (format === FORMAT.block) {
      target.set(BLOCK_AS_BYTES, at);
    } else if (format >= FORMAT.view && format <= FORMAT.parts) {
      target.set(this.#value, at);
      let next = at + this.#value.length;
      for (const segment of this.#segments) {
        next = align(next);
        target.set(segment, next);
        next += segment.length;
      }
      this.#segments = NOTHING;
      this.#writer?.clear();
    }
    this.#value = undefined; // do not keep a large value until the next one
    if (this.#transfers.length === 0) return;
    const transfers = this.#transfers;
    this.#transfers = NOTHING;
    empty(transfers);
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
 * @param {Uint8Array} body @param {Blocks} [blocks] @param {any[]} [parts] the message of the port
 * @returns {any}
 * @throws {PitvError} PITV_POOL_MESSAGE
 */
export function decode(format, first, second, body, blocks, parts) {
  switch (format) {
    case FORMAT.constant:
      return CONSTANTS[first];
    case FORMAT.number:
      NUMBER_BYTES.set(body.subarray(0, 8));
      return NUMBER[0];
    case FORMAT.view:
      return copyView(first, body, 0, second);
    case FORMAT.block:
      return blockView(first, body, blocks);
    case FORMAT.clone:
    case FORMAT.parts:
      return decodeClone(body, first, second, blocks, parts);
    case FORMAT.message:
      return parts?.[0];
    default:
      throw unreadable(`it has the format ${format}`);
  }
}

/** @param {number} type @param {Uint8Array} body @param {Blocks | undefined} blocks */
function blockView(type, body, blocks) {
  if (!blocks || body.length < BLOCK_BYTES) throw unreadable('there is no such block');
  const [id, at, size, offset, bytes] = new Uint32Array(body.buffer, body.byteOffset, BLOCK_WORDS);
  if (offset + bytes > size) throw unreadable('there is no such block');
  return viewOf(type, blocks.bufferOf(id, at, size), offset, bytes);
}

/**
 * @param {Uint8Array} body @param {number} length @param {number} end of the values
 * @param {Blocks} [blocks] @param {any[]} [parts]
 */
function decodeClone(body, length, end, blocks, parts) {
  const { CloneReader } = loadedClones();
  try {
    return new CloneReader(body, length, end, blocks, parts).read();
  } catch (error) {
    if (error instanceof PitvError) throw error;
    throw unreadable('it is not a structured clone', error);
  }
}
