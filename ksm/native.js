/** Loads the addon. Without it, marking and the controller do not work; reading figures does. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import os from 'node:os';
import { KsmError, codeOf } from './errors.js';

/**
 * The functions of the addon. A negative result is a -errno.
 * @typedef {object} Native
 * @property {(start: number, length: number, mergeable: number) => number} adviseRange calls madvise(2)
 * @property {(to: number) => number} memoryMerge sets the mark of prctl(2) to 0 or 1; -1 returns it
 * @property {(to: number) => number} personality sets the personality and returns the previous one; 0xffffffff changes
 *   nothing
 * @property {(descriptor: number) => number} tryLock calls flock(LOCK_EX | LOCK_NB)
 * @property {() => boolean} trimHeap calls malloc_trim(0)
 * @property {number} pageBytes
 */

const require = createRequire(import.meta.url);

/** The paths of the addon in the project, and in a package that is installed alone. */
export const ADDON_PATHS = [
  new URL(`../build/${process.arch}/ksm.node`, import.meta.url),
  new URL(`build/${process.arch}/ksm.node`, import.meta.url),
].map((url) => fileURLToPath(url));

/** The remedy when both are missing. */
export const HOW_TO_BUILD = `run make -C ${fileURLToPath(new URL('native', import.meta.url))}`;

/** @type {Native | undefined} */
let loaded;

/**
 * Returns the addon, and loads it at the first call.
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

/** Returns the addon, or undefined when it cannot be loaded. @returns {Native | undefined} */
export function tryNative() {
  try {
    return native();
  } catch {
    return undefined;
  }
}

/** errno -> name, such as 12 -> 'ENOMEM'. Of two names for a number, the first is used: EAGAIN, not EWOULDBLOCK. */
const ERRNO_NAMES = new Map(
  Object.entries(os.constants.errno)
    .reverse()
    .map(([name, n]) => [n, name]),
);

/**
 * Returns the name of an errno.
 * @param {number} result a -errno
 * @returns {string} such as 'EINVAL'
 */
export function errnoName(result) {
  return ERRNO_NAMES.get(-result) ?? `errno ${-result}`;
}
