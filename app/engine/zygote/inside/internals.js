/**
 * Gives access to internals of Node: the list of all timers, the function that resets stdin, stdout and stderr, and
 * what ES modules import from its modules. The zygote runs with --expose-internals. A version of Node without the first
 * two is reported as unsupported.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { PitvError } from '../../../errors.js';

/**
 * @typedef {object} Internals
 * @property {() => number} clearTimers clears all timers and immediates; returns their number
 * @property {() => void} resetStdio makes process.stdin, stdout and stderr create new streams on their next use
 */

/** @type {any} */
const load = createRequire(import.meta.url);

/** Loads the internals. @returns {Internals} @throws {PitvError} PITV_ZYGOTE_UNSUPPORTED */
export function openInternals() {
  try {
    const { timerListMap, immediateQueue } = load('internal/timers');
    const { resetStdioForTesting } = loadBinding('process_methods');
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

/** Loads a binding without the warning that it is for tests only. @param {string} name @returns {any} */
function loadBinding(name) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load('internal/test/binding').internalBinding(name);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Does what syncBuiltinESMExports() does. Returns a function that does it for one export only: all of them are in so
 * many pages that a child would copy 140 KiB.
 * @param {string} name of an export that no other module of Node.js has
 * @returns {(value: unknown) => void} sets the value that ES modules see; without the internals it does it for all
 */
export function syncExports(name) {
  const methods = exportMethods();
  const { setExport } = methods;
  /** @type {any} */
  let module;
  methods.setExport = function (/** @type {string} */ key, /** @type {unknown} */ value) {
    if (key === name) module = this;
    return setExport.call(this, key, value);
  };
  try {
    syncBuiltinESMExports();
  } finally {
    methods.setExport = setExport;
  }
  return module ? (value) => module.setExport(name, value) : syncBuiltinESMExports;
}

/** @returns {any} the methods of an ES module inside Node.js, or none when the internals are not exposed */
function exportMethods() {
  try {
    return loadBinding('module_wrap').ModuleWrap.prototype;
  } catch {
    return {};
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
