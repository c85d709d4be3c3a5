/** Loads the functions that handle tasks. */
import { pathToFileURL } from 'node:url';
import { PitvError } from '../../errors.js';

/** @typedef {(task: any) => any} Handler */

/** Modules that a zygote has loaded, by URL. @type {Map<string, any>} */
const warmModules = new Map();

/** @param {string} filename absolute path or file: URL @returns {string} */
export const urlOf = (filename) =>
  /^(file|data|node):/.test(filename) ? filename : pathToFileURL(filename).href;

/** Loads a module ahead. @param {string} filename @returns {Promise<any>} its exports */
export async function preload(filename) {
  const url = urlOf(filename);
  const module = await import(url);
  warmModules.set(url, module);
  return module;
}

/**
 * Loads a function. A module may export a promise of a function: the worker then waits for it.
 * @param {string} filename absolute path or file: URL of an ES or CommonJS module
 * @param {string} name of the export
 * @returns {Promise<Handler>}
 * @throws {PitvError} PITV_TASK_HANDLER
 */
export async function loadHandler(filename, name) {
  const url = urlOf(filename);
  const module = warmModules.get(url) ?? (await import(url));
  const named = await module[name];
  if (typeof named === 'function') return named;
  // Properties of module.exports that Node.js does not detect as exports, and CommonJS made from ES modules.
  const whole = await module.default;
  const inside = await whole?.[name];
  if (typeof inside === 'function') return inside;
  throw new PitvError(
    'PITV_TASK_HANDLER',
    `No handler function exported from ${filename}: ${name}.`,
  );
}
