/**
 * Gives access to two internals of Node: the list of all timers, and the function that resets stdin, stdout and stderr.
 * The zygote runs with --expose-internals. A version of Node without these internals is reported as unsupported.
 */
import { createRequire } from 'node:module';
import { PitvError } from '../../../errors.js';

/**
 * @typedef {object} Internals
 * @property {() => number} clearTimers clears all timers and immediates; returns their number
 * @property {() => void} resetStdio makes process.stdin, stdout and stderr create new streams on their next use
 */

/**
 * Loads the internals.
 * @returns {Internals}
 * @throws {PitvError} PITV_ZYGOTE_UNSUPPORTED
 */
export function openInternals() {
  try {
    /** @type {any} */
    const load = createRequire(import.meta.url);
    const { timerListMap, immediateQueue } = load('internal/timers');
    const { resetStdioForTesting } = withoutWarnings(() =>
      load('internal/test/binding').internalBinding('process_methods'),
    );
    if (!timerListMap || !('head' in immediateQueue) || !resetStdioForTesting) {
      throw new TypeError('Their names have changed.');
    }
    return {
      clearTimers: () => clearTimers(timerListMap) + clearImmediates(immediateQueue),
      resetStdio: resetStdioForTesting,
    };
  } catch (cause) {
    const sentence = `A zygote does not work with Node ${process.version}, whose internals differ.`;
    throw new PitvError('PITV_ZYGOTE_UNSUPPORTED', sentence, { cause });
  }
}

/**
 * Runs an action without the warning that the internals are for tests only.
 * @template T @param {() => T} action @returns {T}
 */
function withoutWarnings(action) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return action();
  } finally {
    process.emitWarning = emitWarning;
  }
}

const MAX_KEPT = 8;
/**
 * Keeps some timers. V8 discards code compiled for timers once none is left, and every child would compile it again.
 */
const kept = new Set();

/** Clears all timers. @param {Record<string, any>} lists circular lists by duration @returns {number} how many */
function clearTimers(lists) {
  let count = 0;
  for (const key of Object.keys(lists)) {
    const list = lists[key];
    while (list._idleNext !== list) {
      const timer = list._idlePrev;
      if (kept.size < MAX_KEPT) kept.add(list).add(timer);
      // This timer of node:http drops its cached Date header, which would otherwise never change in a child.
      if (timer._onTimeout?.name === 'resetCache') timer._onTimeout();
      else count++;
      clearTimeout(timer);
    }
  }
  return count;
}

/** Clears all immediates. @param {{head: any}} queue @returns {number} how many */
function clearImmediates(queue) {
  let count = 0;
  for (let next = queue.head; next; count++) {
    const immediate = next;
    next = immediate._idleNext;
    clearImmediate(immediate);
  }
  return count;
}
