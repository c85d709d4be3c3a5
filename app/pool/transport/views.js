/** Copies typed arrays, DataViews and ArrayBuffers into and out of a record. */
import { types } from 'node:util';
import { PitvError } from '../../errors.js';
import { native } from '../../native/native.js';
import { MAX_MESSAGE_BYTES } from './layout.js';

/** Each view in a body begins at a multiple of this. */
const ALIGNMENT = 8;
/** Up to this size, slice() is faster than allocating a buffer that is not zeroed first. */
const SLICE_BYTES = 16 * 1024;
export const align = (/** @type {number} */ bytes) => (bytes + ALIGNMENT - 1) & -ALIGNMENT;

/** Constructors of views; a view's type is the index of its constructor. @type {any[]} */
export const TYPES = [
  ArrayBuffer,
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
  ...('Float16Array' in globalThis ? [Reflect.get(globalThis, 'Float16Array')] : []),
];
const TYPE_OF = new Map(TYPES.map((constructor, type) => [constructor.name, type]));
const UINT8 = 1;
/** Returns the class of a typed array: an object that extends it may say another one. @type {any} */
const { get: readClass } = /** @type {any} */ (
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)
);

/** @param {any} value @returns {number} index in TYPES; -1 for other values */
export function typeOf(value) {
  if (ArrayBuffer.isView(value)) return TYPE_OF.get(readClass.call(value) ?? 'DataView') ?? -1;
  return types.isArrayBuffer(value) ? 0 : -1;
}

/** @param {ArrayBufferView | ArrayBuffer} value @returns {Uint8Array} its bytes, not copied */
export const bytesOf = (value) =>
  ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);

/** @param {any} view @returns {boolean} whether it may be sent as plain bytes */
export function isPlainView(view) {
  const buffer = ArrayBuffer.isView(view) ? view.buffer : view;
  return types.isArrayBuffer(buffer) && !(/** @type {any} */ (buffer).resizable);
}

/** Throws for a buffer that is empty because it was moved. @param {ArrayBuffer} buffer */
export function checkAttached(buffer) {
  if (buffer.byteLength > 0) return;
  try {
    new Uint8Array(buffer);
  } catch {
    const sentence = 'An ArrayBuffer is detached and could not be cloned.';
    throw new DOMException(sentence, 'DataCloneError');
  }
}

/** @param {number} bytes */
export const tooLarge = (bytes) =>
  new PitvError(
    'PITV_POOL_TOO_LARGE',
    `A task or a result has ${bytes} bytes, more than ${MAX_MESSAGE_BYTES}.`,
  );

/** @param {string} why @param {unknown} [cause] @returns {PitvError} */
export const unreadable = (why, cause) =>
  new PitvError(
    'PITV_POOL_MESSAGE',
    `A message between the pool and a worker cannot be read: ${why}.`,
    { cause },
  );

/**
 * Copies a view out of a body.
 * @param {number} type @param {Uint8Array} body @param {number} at @param {number} bytes
 * @returns {ArrayBufferView | ArrayBuffer}
 */
export function copyView(type, body, at, bytes) {
  if (!TYPES[type] || at + bytes > body.length)
    throw unreadable('a typed array has no valid length');
  const copy = copyBytes(body, at, bytes);
  return type === UINT8 ? copy : viewOf(type, /** @type {ArrayBuffer} */ (copy.buffer), 0, bytes);
}

/** @param {Uint8Array} body @param {number} at @param {number} bytes @returns {Uint8Array} over a buffer of its own */
export function copyBytes(body, at, bytes) {
  if (bytes <= SLICE_BYTES) return body.slice(at, at + bytes);
  const copy = new Uint8Array(allocateCopy(bytes), 0, bytes);
  copy.set(body.subarray(at, at + bytes));
  return copy;
}

/** @param {number} type @param {ArrayBuffer} buffer @param {number} offset @param {number} bytes */
export function viewOf(type, buffer, offset, bytes) {
  const constructor = TYPES[type];
  if (!constructor) throw unreadable('there is no such type');
  if (constructor === ArrayBuffer) return buffer;
  const size = constructor.BYTES_PER_ELEMENT ?? 1;
  if (bytes % size !== 0) throw unreadable('a typed array has no valid length');
  return new constructor(buffer, offset, bytes / size);
}

/** glibc maps blocks from this size on by themselves, and unmaps them when they are freed (mallopt(3)). */
export const LARGE_BYTES = 128 * 1024;

/** Whether this thread has told the C library to keep freed blocks. */
let keepsBlocks = false;

/**
 * Allocates memory for a copy of a large value. Without a hint, the C library returns such blocks to the system when V8
 * has collected them, and the kernel zeroes each page of the next one: that takes longer than the copy.
 * @param {number} bytes @returns {ArrayBuffer} not zeroed
 */
export function allocateCopy(bytes) {
  if (bytes >= LARGE_BYTES && !keepsBlocks) {
    keepsBlocks = true;
    addonIfBuilt()?.keepFreedBlocks();
  }
  return /** @type {ArrayBuffer} */ (Buffer.allocUnsafeSlow(bytes).buffer);
}

/** Returns freed blocks of this process to the system. */
export function trimFreedBlocks() {
  if (keepsBlocks) addonIfBuilt()?.trimMalloc();
}

/** @returns {import('../../native/native.js').Native | undefined} */
export function addonIfBuilt() {
  try {
    return native();
  } catch {
    return undefined;
  }
}
