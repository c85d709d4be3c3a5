/** Functions for the tests of the pool, besides those of about.js. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { move } from '../../../app/pool/index.js';

export * from './about.js';
export { default } from './about.js';

/** @param {any} task */
export const later = async (task) => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return task;
};
const context = new AsyncLocalStorage();
export const readContext = () => context.getStore();
/** Replaces the store of the async context. @param {string} value @returns {any} the store before */
export const enterContext = (value) => {
  const before = readContext();
  context.enterWith(value);
  return before;
};
export const fail = () => {
  throw Object.assign(new TypeError('wrong'), { code: 'WRONG' });
};
export const throwValue = () => {
  throw { no: 'error' };
};
export const returnFunction = () => () => {};
export const crash = () => process.kill(process.pid, 'SIGSEGV');
/** Waits until the word changes. @param {Int32Array} words */
export const wait = (words) => {
  Atomics.add(words, 1, 1);
  while (Atomics.load(words, 0) === 0);
  return 'went on';
};
/** Collects garbage, then waits until the word changes without blocking the event loop. @param {Int32Array} words */
export const awaitAfterCollection = async (words) => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  await new Promise((resolve) => setImmediate(resolve)); // finalizers run
  Atomics.add(words, 1, 1);
  while (Atomics.load(words, 0) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
};
/** Counts its calls. @param {{words: Int32Array}} task */
export const count = ({ words }) => void Atomics.add(words, 0, 1);
/** Prints what V8 and the C++ library print when memory is exhausted, and exits. */
export const pretend = () => {
  console.error('Array buffer allocation failed, JavaScript heap out of memory, std::bad_alloc');
  process.exit(1);
};
/** Dies as often as the first word says, in whichever worker. @param {Int32Array} words */
export const exitTimes = (words) => {
  if (Atomics.sub(words, 0, 1) > 0) process.exit(9);
  return 'alive';
};
/** @param {number} length */
export const large = (length) => ({ bytes: new Uint8Array(length).fill(length) });
/** Marks that it returns a long result now. @param {{words: Int32Array, length: number}} task */
export const longAfterMark = ({ words, length }) => {
  const bytes = new Uint8Array(length).fill(length);
  bytes[length - 1] = length;
  Atomics.store(words, 0, 1);
  return { bytes };
};
/** @param {string} text */
export const moveSmall = (text) => move(Buffer.from(text));
/** @param {string} text */
export const hashOf = (text) => createHash('sha256').update(text).digest('hex');
/** @param {object} task */
export const keys = (task) => Object.keys(task);
/** @type {Record<string, () => any>} */
const THROWN = {
  http() {
    const inner = Object.assign(new TypeError('inner'), { code: 'INNER' });
    const details = { path: ['a'] };
    const own = { name: 'HttpError', status: 404, code: 17, details, inner, callback: () => {} };
    throw Object.assign(new RangeError('not found'), own);
  },
  any: () =>
    Promise.any([
      Promise.reject(Object.assign(new Error('first'), { code: 'FIRST' })),
      Promise.reject('second'),
    ]),
  exception() {
    throw new DOMException('late', 'TimeoutError');
  },
  cause() {
    throw new Error('why', { cause: { reason: 1 } });
  },
  endless() {
    const error = Object.assign(new Error('large'), { large: 'x'.repeat(1 << 20), small: 1 });
    error.cause = error;
    throw error;
  },
  getNull() {
    throw {
      get broken() {
        throw null;
      },
    };
  },
  getter() {
    throw Object.defineProperty(new Error('with a getter'), 'broken', {
      enumerable: true,
      get: () => THROWN.exception(),
    });
  },
};
/** @param {string} kind */
export const throwKind = (kind) => THROWN[kind]();
