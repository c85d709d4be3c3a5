/** Tells whether worker processes can be locked on this machine. See native/lock/README.md. */
import { PitvError, messageOf } from '../errors.js';
import { native } from '../native/native.js';

/**
 * @typedef {object} Lock how a worker is locked before it loads its module
 * @property {string[]} readable absolute paths of files and folders that it may read; all else is closed to it
 * @property {boolean} [bestEffort] a worker also starts where the lock is incomplete or impossible; default false
 */

/**
 * Files that Node.js reads when it starts and at each vm.createContext(). Without them it aborts. Debian's Node.js does
 * not contain these modules; others do, and there the files are left out.
 */
export const NODE_FILES = [
  'acorn/dist/acorn.js',
  'acorn-walk/dist/walk.js',
  'cjs-module-lexer/lexer.js',
  'cjs-module-lexer/dist/lexer.js',
  'minimatch/dist/cjs/index.bundle.js',
  'undici/undici-fetch.js',
].map((name) => `/usr/share/nodejs/${name}`);

/**
 * Finds what this machine lacks for the lock.
 * @returns {string | undefined} a part of a sentence; undefined if nothing is missing
 */
export function missingForLock() {
  if (process.platform !== 'linux') return 'Linux';
  try {
    const { landlock, seccomp } = native().lockSupport();
    if (landlock === 0) return 'Landlock (Linux 5.13, enabled by the kernel parameter lsm=)';
    return seccomp ? undefined : 'seccomp filters for this architecture';
  } catch (error) {
    return `the native addon: ${messageOf(error)}`;
  }
}

/**
 * Checks that workers can be locked.
 * @param {string} [missing] what this machine or engine lacks for that
 * @throws {PitvError} PITV_LOCK_UNSUPPORTED
 */
export function checkLockSupport(missing = missingForLock()) {
  if (!missing) return;
  const sentence = `A worker cannot be locked here without ${missing}.`;
  throw new PitvError('PITV_LOCK_UNSUPPORTED', sentence);
}
