/** Finds the properties of arrays without a list of all indexes, which takes longer than cloning the elements. */
import { inspect } from 'node:util';

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

/** Whether all numbers have 32 bits. @param {number[]} array */
export function areInt32(array) {
  for (let i = 0; i < array.length; i++) {
    const number = array[i];
    if ((number | 0) !== number || (number === 0 && 1 / number < 0)) return false;
  }
  return true;
}
