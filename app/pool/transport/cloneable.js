/**
 * Tells which objects are cloned property by property, as structuredClone() does it, and which ones are of Node.js.
 * Finds the properties of arrays without a list of all indexes, which takes longer than cloning the elements.
 */
import { inspect, types } from 'node:util';
import { ERRORS } from './clone-bytes.js';

/** Classes of which an instance has been cloned: their prototypes. */
const plain = new WeakSet();
const { toString } = Object.prototype;

/** Creates an error as structuredClone() throws it. @param {unknown} value */
export function dataCloneError(value) {
  const isObject = typeof value === 'object' && value !== null;
  const name = isObject ? `#<${nameOf(value)}>` : String(value);
  return new DOMException(`${name} could not be cloned.`, 'DataCloneError');
}

/** @param {object} object */
function nameOf(object) {
  const name = Object.getPrototypeOf(object)?.constructor?.name;
  return typeof name === 'string' && name ? name : 'Object';
}

/**
 * Whether an object is cloned by its properties. False is for those that are to be looked at more closely.
 * @param {object} object
 */
export function isPlain(object) {
  const prototype = Object.getPrototypeOf(object);
  return (
    (prototype === Object.prototype || prototype === null || plain.has(prototype)) &&
    toString.call(object) === '[object Object]' && // not `arguments`
    !types.isProxy(object)
  );
}

/**
 * Clones an object of an unknown class to find out what becomes of it. The objects of Node.js keep their class, those
 * of other classes become plain objects.
 * @param {object} object
 * @returns {boolean} whether it is cloned by its properties
 * @throws {DOMException} DataCloneError
 */
export function clonesAsPlain(object) {
  let isPlainClone = true;
  try {
    isPlainClone = Object.getPrototypeOf(structuredClone(object)) === Object.prototype;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // else it is nested too deeply, so it has properties
  }
  const prototype = Object.getPrototypeOf(object);
  if (isPlainClone && toString.call(object) === '[object Object]') plain.add(prototype);
  return isPlainClone;
}

/** Whether a view of a resizable buffer is beyond its end. @param {ArrayBufferView} view */
export function isOutOfBounds(view) {
  try {
    if (view instanceof DataView) return view.byteLength < 0;
    Uint8Array.prototype.keys.call(/** @type {any} */ (view)); // checks any typed array
    return false;
  } catch {
    return true;
  }
}

/**
 * Whether the length of a view follows that of its resizable buffer. Only resizing a copy shows it.
 * @param {ArrayBufferView} view
 */
export function tracksLength(view) {
  const copy = structuredClone(view);
  const buffer = /** @type {any} */ (copy.buffer);
  if (copy.byteLength === 0) {
    buffer.resize(buffer.maxByteLength);
    return copy.byteLength > 0;
  }
  buffer.resize(copy.byteOffset);
  return !isOutOfBounds(copy);
}

/**
 * Lists what structuredClone() keeps of an error.
 * @param {any} error
 * @returns {{index: number, fields: Record<string, any>}} index of its class in ERRORS
 */
export function describeError(error) {
  const isException = error instanceof DOMException;
  const name = isException ? 'DOMException' : String(error.name);
  /** @type {Record<string, any>} */
  const fields = {};
  const message = Object.getOwnPropertyDescriptor(error, 'message');
  if (isException) Object.assign(fields, { message: error.message, name: error.name });
  else if (message && 'value' in message) fields.message = String(message.value);
  if (typeof error.stack === 'string') fields.stack = error.stack;
  if (!isException && Object.hasOwn(error, 'cause')) fields.cause = error.cause;
  const index = ERRORS.findIndex(
    (each) => each.name === name && (each !== DOMException || isException),
  );
  return { index: Math.max(0, index), fields };
}

/** Up to this length, the list is short. */
const SHORT_LENGTH = 32;
/** Shorter arrays are cloned with their holes. */
const MIN_SPARSE_LENGTH = 4096;
const SAMPLES = 64;
const isIndex = (/** @type {string} */ key) =>
  String(Number(key) >>> 0) === key && Number(key) < 2 ** 32 - 1;

/** Whether most elements of a long array are missing. @param {any[]} array */
export function isSparse(array) {
  const { length } = array;
  if (length < MIN_SPARSE_LENGTH) return false;
  let missing = 0;
  for (let i = 0; i < SAMPLES; i++) {
    if (!Object.hasOwn(array, Math.floor((length / SAMPLES) * i))) missing++;
  }
  return missing > SAMPLES / 2;
}

/**
 * Lists the keys that are no indexes, such as those in the result of a RegExp.
 * @param {any[]} array @returns {string[]}
 */
export function namedKeysOf(array) {
  if (array.length > SHORT_LENGTH && !hasNamedKeys(array)) return [];
  const keys = Object.keys(array);
  // Indexes come first.
  return keys.length === 0 || isIndex(keys[keys.length - 1])
    ? []
    : keys.filter((key) => !isIndex(key));
}

/** @param {any[]} array */
function hasNamedKeys(array) {
  // Of all functions of Node.js, this one alone does not look at the elements.
  const options = { maxArrayLength: 0, depth: 0, breakLength: Infinity, customInspect: false };
  return !/\d more items? \]$/.test(inspect(array, options));
}

/** Whether all elements are numbers. @param {any[]} array */
export function areNumbers(array) {
  for (let i = 0; i < array.length; i++) if (typeof array[i] !== 'number') return false;
  return true;
}
