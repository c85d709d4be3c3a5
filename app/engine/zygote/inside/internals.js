/**
 * The two things of Node's own that a zygote needs and that have no public name: the list of all
 * timers, and the way to let stdin, stdout and stderr be made anew. Reached by --expose-internals,
 * which the zygote is started with. A Node that has moved them is reported as not supported.
 */
import { createRequire } from 'node:module';
import { PitvError } from '../../../errors.js';

/**
 * @typedef {object} Internals
 * @property {() => number} clearTimers clears every timer and immediate; returns how many there were
 * @property {() => void} resetStdio lets process.stdin, stdout, stderr be made anew when asked for
 */

/**
 * @returns {Internals}
 * @throws {PitvError} PITV_ZYGOTE_UNSUPPORTED
 */
export function openInternals() {
  try {
    /** @type {any} */
    const load = createRequire(import.meta.url);
    const { timerListMap, immediateQueue } = load('internal/timers');
    const { resetStdioForTesting } = quietly(() =>
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
    const sentence = `Node ${process.version} has its timers somewhere else: a zygote does not work with it.`;
    throw new PitvError('PITV_ZYGOTE_UNSUPPORTED', sentence, { cause });
  }
}

/** @template T @param {() => T} action @returns {T} without the warning that this is for tests only */
function quietly(action) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return action();
  } finally {
    process.emitWarning = emitWarning;
  }
}

const MAX_KEPT = 8;
/** V8 drops what it has compiled for timers when none is left, and every child compiles it again. */
const kept = new Set();

/** @param {Record<string, any>} lists circular lists by duration */
function clearTimers(lists) {
  let count = 0;
  for (const key of Object.keys(lists)) {
    const list = lists[key];
    while (list._idleNext !== list) {
      const timer = list._idlePrev;
      if (kept.size < MAX_KEPT) kept.add(list).add(timer);
      // node:http drops its cached Date header by a timer of its own; it must not be kept for ever.
      if (timer._onTimeout?.name === 'resetCache') timer._onTimeout();
      else count++;
      clearTimeout(timer);
    }
  }
  return count;
}

/** @param {{head: any}} queue */
function clearImmediates(queue) {
  let count = 0;
  for (let next = queue.head; next; count++) {
    const immediate = next;
    next = immediate._idleNext;
    clearImmediate(immediate);
  }
  return count;
}
