/** Tells failures of workers apart: which count, which end a match at once, and what people read about them. */
import { isReported } from '../engine/failure.js';
import { isShortage, messageOf } from '../errors.js';
import { visibleText } from '../errors/visible-text.js';

/** How long failures for lack of processes, descriptors or memory are not counted. */
const SHORTAGE_MS = 30_000;

/** Errors of a worker that broke a rule: its match is not started again. */
const RULE_ERRORS = new Set([
  'PITV_FRAME_INVALID',
  'PITV_WORKER_REPORTS',
  'PITV_WORKER_TICKS',
  'PITV_ZYGOTE_MESSAGE',
]);

export class Failures {
  #limits;
  /** Times of the counted failures, performance.now(). @type {number[]} */
  #times = [];
  /** First and last failure of the current shortage, performance.now(). */
  #shortage = { first: -Infinity, last: -Infinity };

  /** @param {{failures: number, failuresMs: number}} limits see timers.js */
  constructor(limits) {
    this.#limits = limits;
  }

  get count() {
    return this.#times.length;
  }

  /**
   * Adds a failure. Those of the machine and not of the game are not counted for SHORTAGE_MS.
   * @param {unknown} error @param {boolean} [isLocked] whether the worker runs code of others
   * @returns {{shortage: boolean, last: boolean}} shortage: it is not counted; last: the match cannot go on
   */
  add(error, isLocked = false) {
    const now = performance.now();
    const shortage = !(isLocked && isReported(error)) && this.#noteShortage(error, now);
    this.#times = this.#times.filter((at) => now - at < this.#limits.failuresMs);
    if (!shortage) this.#times.push(now);
    return { shortage, last: this.count >= this.#limits.failures || brokeRule(error) };
  }

  /** @param {unknown} error @param {number} now */
  #noteShortage(error, now) {
    if (!isShortage(error)) return false;
    const { first, last } = this.#shortage;
    this.#shortage = { first: now - last < SHORTAGE_MS ? first : now, last: now };
    return now - this.#shortage.first < SHORTAGE_MS;
  }

  clear() {
    this.#times = [];
  }
}

/** @param {unknown} error of a worker, or of its start @returns {boolean} */
function brokeRule(error) {
  const { code, cause } = Object(error);
  return RULE_ERRORS.has(code) || (cause !== undefined && brokeRule(cause));
}

/**
 * Describes the failure of a worker.
 * @param {string} reason @param {unknown} error @param {string | undefined} at file and line
 * @returns {string} such as 'TypeError: x is not a function (pong.js:12)'
 */
export function describeProblem(reason, error, at) {
  if (!error) return reason === 'hung' ? 'a tick does not return' : `its worker ended: ${reason}`;
  const name = error instanceof Error ? `${error.name}: ` : '';
  return visibleText(`${name}${messageOf(error)}${at ? ` (${at})` : ''}`);
}
