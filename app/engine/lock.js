/**
 * Locks worker processes, irrevocably, before they load code of strangers. See native/lock/README.md. A locked process
 * can start no thread, so the threads that Node.js starts on demand are started here.
 */
import { promises, readFileSync, stat } from 'node:fs';
import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
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

/** Variables of the environment that are kept, because code reads them later. */
const KEPT_VARIABLES = ['NODE_ENV'];

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

/**
 * Locks a child of a zygote.
 * @param {Lock} lock
 * @throws {PitvError} PITV_LOCK_UNSUPPORTED @throws {Error} PITV_NATIVE_FAILED
 */
export function lockFork({ readable, bestEffort }) {
  const addon = native();
  if (!bestEffort) checkLockSupport();
  try {
    addon.beginLock([...NODE_FILES, ...readable]);
  } catch (error) {
    throw isUnreadable(error) ? unreadable(readable) : error;
  }
  addon.leaveZygote();
  addon.reviveThreads();
  addon.lockFiles();
  if (addon.lockSupport().seccomp) lockCalls(0);
  readModulesHere();
}

/** Tells whether lock_isolate() of the addon found that `nobody` cannot read the files. @param {unknown} error */
const isUnreadable = (error) => Reflect.get(Object(error), 'syscall') === 'setfsuid';

/** @param {string[]} readable */
function unreadable(readable) {
  const sentence = `As root, code of others runs as the user nobody, who cannot read ${readable[0]}. Start the TV as an ordinary user, or allow everybody to read the folder and those above it.`;
  return new PitvError('PITV_LOCK_UNSUPPORTED', sentence);
}

/**
 * Locks a process whose files were locked before it started (host/locked-process.js).
 * @param {Lock} lock @param {number} memoryMb limit of private writable memory on top of what is mapped so far
 * @throws {PitvError} PITV_LOCK_UNSUPPORTED @throws {Error} PITV_NATIVE_FAILED
 */
export function lockProcess({ readable, bestEffort }, memoryMb) {
  if (!bestEffort) checkLockSupport();
  const errno = native().lockedBeforeMain();
  if (errno === undefined || (errno !== 0 && !bestEffort)) {
    if (errno === constants.errno.EACCES && process.getuid?.() === 0) throw unreadable(readable);
    const why = errno ? getSystemErrorName(-errno) : 'the addon was not loaded by LD_PRELOAD';
    throw new PitvError('PITV_LOCK_UNSUPPORTED', `The process could not lock its files: ${why}.`);
  }
  if (native().lockSupport().seccomp) lockCalls(memoryMb);
}

/**
 * Makes the loader of ES modules read files on this thread. Handing each of them to libuv's threads takes longer than
 * reading it: a game of several files is ready some 2 ms earlier.
 */
function readModulesHere() {
  const { readFile } = promises;
  const readHere = async (/** @type {any} */ path, /** @type {any} */ options) =>
    path instanceof URL ? readFileSync(path, options) : readFile(path, options); // only the loader passes URLs
  promises.readFile = /** @type {typeof readFile} */ (readHere);
}

/** @param {number} memoryMb 0: not limited here */
function lockCalls(memoryMb) {
  process.env.UV_THREADPOOL_SIZE = '1';
  stat('/', () => {}); // starts libuv's threads
  const kept = KEPT_VARIABLES.map((name) => [name, process.env[name]]);
  native().lockCalls(memoryMb * 1024 * 1024);
  for (const [name = '', value] of kept) if (value !== undefined) process.env[name] = value;
}
