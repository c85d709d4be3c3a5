/**
 * Finds and loads the addon, once. Without it nothing can be marked, but reading figures and
 * driving ksmd through sysfs work all the same.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import os from 'node:os';
import { KsmError, codeOf } from './errors.js';

/**
 * @typedef {object} Native every number that comes back negative is a -errno
 * @property {(start: number, length: number, mergeable: number) => number} adviseRange
 * @property {(to: number) => number} memoryMerge -1 asks, 0 or 1 sets
 * @property {(to: number) => number} personality gives the one before; 0xffffffff only asks
 * @property {(descriptor: number) => number} tryLock flock(LOCK_EX | LOCK_NB)
 * @property {() => boolean} trimHeap malloc_trim(0)
 * @property {number} pageBytes
 */

const require = createRequire(import.meta.url);

/** Where the Makefile puts it inside the project, and beside a package installed alone. */
export const ADDON_PATHS = [
  new URL(`../build/${process.arch}/ksm.node`, import.meta.url),
  new URL(`build/${process.arch}/ksm.node`, import.meta.url),
].map((url) => fileURLToPath(url));

/** What to do when it is in neither place. */
export const HOW_TO_BUILD = `run make -C ${fileURLToPath(new URL('native', import.meta.url))}`;

/** @type {Native | undefined} */
let loaded;

/**
 * @returns {Native}
 * @throws {KsmError} KSM_UNSUPPORTED
 */
export function native() {
  if (loaded) return loaded;
  const reasons = [];
  for (const path of ADDON_PATHS) {
    try {
      loaded = /** @type {Native} */ (require(path));
      return loaded;
    } catch (error) {
      if (codeOf(error) !== 'MODULE_NOT_FOUND') reasons.push(String(error));
    }
  }
  throw new KsmError(
    'KSM_UNSUPPORTED',
    `The addon ksm.node ${reasons[0] ? `could not be loaded (${reasons[0]})` : 'is not built'}: ${HOW_TO_BUILD}.`,
    { missing: ['addon'] },
  );
}

/** @returns {Native | undefined} */
export function nativeIfThere() {
  try {
    return native();
  } catch {
    return undefined;
  }
}

/** errno -> name, e.g. 12 -> 'ENOMEM'. Of two names for one number the first counts: EAGAIN, not EWOULDBLOCK. */
const ERRNO_NAMES = new Map(
  Object.entries(os.constants.errno)
    .reverse()
    .map(([name, n]) => [n, name]),
);

/**
 * @param {number} result a -errno
 * @returns {string} e.g. 'EINVAL'
 */
export function errnoName(result) {
  return ERRNO_NAMES.get(-result) ?? `errno ${-result}`;
}
