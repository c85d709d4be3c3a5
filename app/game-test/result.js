/**
 * What a worker of the test hands over, in the frames of its mailbox: a report as JSON. It comes from a process that
 * runs code of strangers, so everything is checked when it is read.
 */
import { visibleText } from '../errors/visible-text.js';
import { anyText, checkValue, integer, list, number, oneOf, optional, shape } from '../options.js';

/** Room for everything except hashes and saved states. */
const PLAIN_BYTES = 256 * 1024;
/** More faults, and longer texts, are cut. */
export const MAX_FAULTS = 16;
const MAX_CHARS = 600;
/** The longest list. */
const MAX_ITEMS = 1000;
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
  PLAIN_BYTES + 2 * 4 * hashes + 2 * saves * stateBytes; // base64 is less than twice as long

/** Writes where the worker is. @param {Uint8Array} target @param {number} seed @param {number} tick */
export const writeProgress = (target, seed, tick) => write(target, { done: false, seed, tick });

/** @param {Uint8Array} target @param {Result} result @returns {number} length */
export function writeResult(target, result) {
  const hashes = result.hashes.map(toBase64);
  const saved = result.saved.map((each) => ({ ...each, bytes: toBase64(each.bytes) }));
  return write(target, { done: true, result: { ...result, hashes, saved } });
}

/** @param {Uint8Array} target @param {object} report @returns {number} length */
const write = ({ buffer, byteOffset, byteLength }, report) =>
  Buffer.from(buffer, byteOffset, byteLength).write(JSON.stringify(report));

/** @param {Int32Array | Uint8Array} array */
const toBase64 = ({ buffer, byteOffset, byteLength }) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** Texts that are shown to people. */
const SHOWN = new Set(['sentence', 'call', 'place', 'name']);
const WHOLE = integer(0);
const AMOUNT = number(0, Number.MAX_VALUE);
const TEXT = anyText(Infinity);
const PLACE = { seed: WHOLE, tick: WHOLE };
const PROGRESS = shape(PLACE);
const FAULT = shape({ ...PLACE, sentence: TEXT });
const RESULT = shape({
  ticks: WHOLE,
  hashes: list(TEXT, 0, MAX_ITEMS),
  failure: optional(FAULT),
  faults: list(FAULT, 0, MAX_ITEMS),
  repeat: optional(shape({ ...PLACE, part: oneOf(['state', 'frame']) })),
  calls: list(shape({ ...PLACE, call: TEXT, sort: oneOf(SORTS), place: TEXT }), 0, MAX_ITEMS),
  ended: WHOLE,
  joins: WHOLE,
  frameBytes: WHOLE,
  bodies: WHOLE,
  stepMs: optional(shape({ p50: AMOUNT, p99: AMOUNT, max: AMOUNT })),
  heap: list(shape({ tick: WHOLE, bytes: AMOUNT }), 0, MAX_ITEMS),
  saved: list(shape({ ...PLACE, match: WHOLE, bytes: TEXT }), 0, MAX_ITEMS),
  fields: list(
    shape({ name: TEXT, offset: WHOLE, elementBytes: integer(1), length: WHOLE }),
    0,
    MAX_ITEMS,
  ),
});

/**
 * Reads a worker's last frame.
 * @param {Uint8Array} bytes @param {{ticks: number, saves: number, stateBytes: number}} plan what it was asked for
 * @returns {Report} @throws {Error} if it is no report
 */
export function readReport(bytes, plan) {
  if (bytes.length === 0) return { done: false, seed: 0, tick: 0 };
  const report = JSON.parse(Buffer.from(bytes).toString(), (key, value) =>
    SHOWN.has(key) && typeof value === 'string' ? plain(value) : value,
  );
  const { done, seed, tick, result } = Object(report);
  if (done !== true) {
    checkValue('The test', 'its progress', PROGRESS, { seed, tick });
    return { done: false, seed, tick };
  }
  checkValue('The test', 'its result', RESULT, result);
  checkValue('The test', 'its number of ticks', integer(0, plan.ticks), result.ticks);
  result.hashes = result.hashes.map((/** @type {string} */ hashes) => {
    const { buffer, length } = fromBase64(hashes);
    return new Int32Array(buffer, 0, length >>> 2);
  });
  result.saved.length = Math.min(result.saved.length, plan.saves);
  for (const saved of result.saved)
    saved.bytes = fromBase64(saved.bytes).subarray(0, plan.stateBytes);
  return { done: true, result };
}

/** @param {string} text */
const fromBase64 = (text) => Uint8Array.from(Buffer.from(text, 'base64')); // aligned

/** Returns a text that a terminal can show. @param {string} text */
const plain = (text) => visibleText(text.slice(0, MAX_CHARS)).replace(/[\n\t]/g, ' ');
