/**
 * What a worker of the test hands over, in the frames of its mailbox: four words, then the result as JSON. It comes
 * from a process that runs code of strangers, so everything is checked when it is read.
 *
 *   word 0   1: the worker is done, and the result follows
 *   word 1   seed that is being played
 *   word 2   tick of that run
 *   word 3   length of the JSON, bytes
 */
import { visibleText } from '../errors/visible-text.js';

const HEAD_WORDS = 4;
const HEAD_BYTES = HEAD_WORDS * 4;
/** Room for everything except hashes and saved states. */
const PLAIN_BYTES = 256 * 1024;
/** More faults or calls, and longer texts, are cut. */
export const MAX_FAULTS = 16;
const MAX_CALLS = 64;
const MAX_SAMPLES = 1000;
const MAX_FIELDS = 200;
const MAX_CHARS = 600;
/** Of a Call. */
const SORTS = /** @type {const} */ (['random', 'clock', 'async', 'inexact']);

/**
 * @typedef {{seed: number, tick: number, sentence: string}} Fault
 * @typedef {{name: string, offset: number, elementBytes: number, length: number}} Field part of a saved state
 * @typedef {{seed: number, tick: number, match: number, bytes: Uint8Array}} Saved a state after a tick
 * @typedef {{seed: number, tick: number, part: 'state' | 'frame'}} Difference the first tick that differs
 *
 * @typedef {object} Result
 * @property {number} ticks ticks of each run. Fewer than asked for, if they took too long
 * @property {Int32Array[]} hashes by seed: state and frame of each tick
 * @property {Fault} [failure] what the game threw
 * @property {Fault[]} faults of frames
 * @property {Difference} [repeat] between the first run and a repeated one in the same process
 * @property {import('./watch.js').Call[]} calls
 * @property {number} ended matches that ended
 * @property {number} joins
 * @property {number} frameBytes of the longest frame
 * @property {number} bodies the most in a frame
 * @property {{p50: number, p99: number, max: number} | undefined} stepMs
 * @property {{tick: number, bytes: number}[]} heap after collections of garbage; tick: over all runs
 * @property {Saved[]} saved
 * @property {Field[]} fields of the saved states
 *
 * @typedef {{done: false, seed: number, tick: number} | {done: true, result: Result}} Report
 */

/** Room for a result in a mailbox, bytes. @param {{hashes: number, saves: number, stateBytes: number}} counts */
export const resultBytes = ({ hashes, saves, stateBytes }) =>
  HEAD_BYTES + PLAIN_BYTES + 2 * 4 * hashes + 2 * saves * stateBytes; // base64 is less than twice as long

/** Writes where the worker is. @param {Uint8Array} target @param {number} seed @param {number} tick */
export function writeProgress(target, seed, tick) {
  new Uint32Array(target.buffer, target.byteOffset, HEAD_WORDS).set([0, seed, tick, 0]);
  return HEAD_BYTES;
}

/** @param {Uint8Array} target @param {Result} result @returns {number} length */
export function writeResult(target, result) {
  const text = JSON.stringify({
    ...result,
    hashes: result.hashes.map((hashes) => toBase64(hashes)),
    saved: result.saved.map((saved) => ({ ...saved, bytes: toBase64(saved.bytes) })),
  });
  const room = Buffer.from(target.buffer, target.byteOffset, target.byteLength);
  const written = room.write(text, HEAD_BYTES);
  new Uint32Array(target.buffer, target.byteOffset, HEAD_WORDS).set([1, 0, 0, written]);
  return HEAD_BYTES + written;
}

/** @param {Int32Array | Uint8Array} array */
const toBase64 = ({ buffer, byteOffset, byteLength }) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** Reads a worker's last frame. @param {Uint8Array} bytes @returns {Report} @throws {Error} if it is no report */
export function readReport(bytes) {
  if (bytes.length < HEAD_BYTES) return { done: false, seed: 0, tick: 0 };
  const [done, seed, tick, length] = new Uint32Array(bytes.slice(0, HEAD_BYTES).buffer);
  if (done !== 1) return { done: false, seed, tick };
  const text = Buffer.from(bytes.subarray(HEAD_BYTES, HEAD_BYTES + length)).toString();
  return { done: true, result: checkResult(JSON.parse(text)) };
}

/** @param {any} raw @returns {Result} @throws {TypeError} */
function checkResult(raw) {
  return {
    ticks: whole(raw.ticks),
    hashes: array(raw.hashes, MAX_SAMPLES, (text) => {
      const bytes = Uint8Array.from(Buffer.from(String(text), 'base64')); // aligned
      return new Int32Array(bytes.buffer, 0, bytes.length >>> 2);
    }),
    failure: raw.failure && checkFault(raw.failure),
    faults: array(raw.faults, MAX_FAULTS, checkFault),
    repeat: raw.repeat && {
      ...placeOfTick(raw.repeat),
      part: raw.repeat.part === 'frame' ? 'frame' : 'state',
    },
    calls: array(raw.calls, MAX_CALLS, (call) => ({
      ...placeOfTick(call),
      call: plain(call.call),
      sort: SORTS.find((sort) => sort === call.sort) ?? 'inexact',
      place: plain(call.place),
    })),
    ended: whole(raw.ended),
    joins: whole(raw.joins),
    frameBytes: whole(raw.frameBytes),
    bodies: whole(raw.bodies),
    stepMs: raw.stepMs && {
      p50: number(raw.stepMs.p50),
      p99: number(raw.stepMs.p99),
      max: number(raw.stepMs.max),
    },
    heap: array(raw.heap, MAX_SAMPLES, ({ tick, bytes }) => ({
      tick: whole(tick),
      bytes: number(bytes),
    })),
    saved: array(raw.saved, MAX_SAMPLES, (saved) => ({
      ...placeOfTick(saved),
      match: whole(saved.match),
      bytes: Uint8Array.from(Buffer.from(String(saved.bytes), 'base64')),
    })),
    fields: array(raw.fields, MAX_FIELDS, ({ name, offset, elementBytes, length }) => ({
      name: plain(name),
      offset: whole(offset),
      elementBytes: Math.max(1, whole(elementBytes)),
      length: whole(length),
    })),
  };
}

/** @param {any} raw @returns {Fault} */
const checkFault = (raw) => ({ ...placeOfTick(raw), sentence: plain(raw.sentence) });
/** @param {any} raw @returns {{seed: number, tick: number}} */
const placeOfTick = (raw) => ({ seed: whole(raw.seed), tick: whole(raw.tick) });

/** @param {unknown} value @returns {number} @throws {TypeError} */
function number(value) {
  if (typeof value === 'number' && value >= 0) return value;
  throw new TypeError('A number is wrong.');
}

/** @param {unknown} value @returns {number} @throws {TypeError} */
function whole(value) {
  if (Number.isSafeInteger(value)) return number(value);
  throw new TypeError('A whole number is wrong.');
}

/**
 * @template T @param {unknown} value @param {number} max @param {(item: any) => T} check @returns {T[]}
 * @throws {TypeError}
 */
function array(value, max, check) {
  if (Array.isArray(value)) return value.slice(0, max).map(check);
  throw new TypeError('A list is wrong.');
}

/** Returns a text that a terminal can show. @param {unknown} value */
const plain = (value) => visibleText(String(value).slice(0, MAX_CHARS)).replace(/[\n\t]/g, ' ');
