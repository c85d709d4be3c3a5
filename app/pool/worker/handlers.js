/** Loads the functions that handle tasks. */
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PitvError } from '../../errors.js';

/** @typedef {(task: any) => any} Handler */

/** Modules that a zygote has loaded, by URL. @type {Map<string, any>} */
const warmModules = new Map();
/** Exported promises of these modules that have not settled. */
const pendingExports = new Set();
/** How long a zygote waits for exported promises other than the default export. */
const MAX_EXPORT_MS = 10_000;

/** @param {string} filename absolute path or file: URL @returns {string} */
const urlOf = (filename) =>
  /^(file|data|node):/.test(filename) ? filename : pathToFileURL(filename).href;

/** What import() throws for a folder, and for a path without its extension. require() finds both. */
const NOT_FOUND = new Set(['ERR_MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT']);

/**
 * Imports a module. require() may know files that import() does not: those without their extension, and those with an
 * extension that a hook, such as that of ts-node, has added.
 * @param {string} url @returns {Promise<any>} its exports
 */
async function importModule(url) {
  try {
    return await import(url);
  } catch (error) {
    const require = createRequire(import.meta.url);
    const code = Reflect.get(Object(error), 'code');
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && extname(url) in require.extensions) {
      return { default: require(fileURLToPath(url)) };
    }
    const found = NOT_FOUND.has(code) && url.startsWith('file:') && findFile(require, url);
    if (!found || found === url) throw error; // the module has been found, but not what it imports
    return import(found);
  }
}

/** @param {NodeJS.Require} require @param {string} url @returns {string | undefined} URL of the file */
function findFile(require, url) {
  try {
    return pathToFileURL(require.resolve(fileURLToPath(url))).href;
  } catch {
    return undefined;
  }
}

/** Loads a module ahead. @param {string} filename @returns {Promise<any>} its exports */
export async function preload(filename) {
  const url = urlOf(filename);
  const module = await importModule(url);
  warmModules.set(url, module);
  return module;
}

/**
 * Waits for exported promises: the timers and files that they wait for do not exist in a fork.
 * @param {any} module @returns {Promise<void>}
 */
export async function settleExports(module) {
  await Promise.allSettled([module.default]);
  const properties = Object.values(Object.getOwnPropertyDescriptors(Object(module.default)));
  const values = [...Object.values(module), ...properties.map(({ value }) => value)];
  const promises = values.filter((value) => value instanceof Promise);
  const settled = promises.map((promise) => {
    pendingExports.add(promise);
    const settle = () => void pendingExports.delete(promise);
    return promise.then(settle, settle);
  });
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, MAX_EXPORT_MS)));
  await Promise.race([Promise.all(settled), late]);
  clearTimeout(timer);
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
  const module = warmModules.get(url) ?? (await importModule(url));
  const exported = module[name];
  if (pendingExports.has(exported)) {
    const sentence = `The export ${name} of ${filename} is a promise that had not settled before the fork.`;
    throw new PitvError('PITV_TASK_HANDLER', sentence);
  }
  const named = await exported;
  if (typeof named === 'function') return named;
  // Properties of module.exports that Node.js does not detect as exports, and CommonJS made from ES modules.
  const whole = await module.default;
  const inside = await whole?.[name];
  if (typeof inside === 'function') return inside;
  const sentence = `No handler function exported from ${filename}: ${name}.`;
  throw new PitvError('PITV_TASK_HANDLER', sentence);
}
