/** Loads the addon. Without it, marking and the controller do not work; reading figures does. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { getSystemErrorName } from 'node:util';
import { findAddon } from './addon/find.cjs';
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

/** Where the addon may be: in the project, or in a package that is installed alone. */
const ROOTS = ['..', '.'].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/** The remedy when it is missing. */
export const HOW_TO_BUILD = `run make -C ${fileURLToPath(new URL('native', import.meta.url))}`;

/** @type {Native | undefined} */
let loaded;

/** Returns the addon, and loads it at the first call. @returns {Native} @throws {KsmError} KSM_UNSUPPORTED */
export function native() {
  if (loaded) return loaded;
  try {
    return (loaded = /** @type {Native} */ (require(findAddon('ksm', ...ROOTS))));
  } catch (error) {
    const missing = codeOf(error) === 'MODULE_NOT_FOUND';
    const problem = missing ? 'is not built' : `could not be loaded (${error})`;
    throw new KsmError('KSM_UNSUPPORTED', `The addon ksm.node ${problem}: ${HOW_TO_BUILD}.`, {
      missing: ['addon'],
    });
  }
}

/** Returns the addon, or undefined when it cannot be loaded. @returns {Native | undefined} */
export function tryNative() {
  try {
    return native();
  } catch {
    return undefined;
  }
}

/** Returns the name of a -errno, such as 'EINVAL'. @type {(result: number) => string} */
export const errnoName = getSystemErrorName;
