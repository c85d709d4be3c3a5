/**
 * Locks this process, irrevocably, before it loads code of strangers. Afterwards no thread can be started, so the
 * threads that Node.js starts on demand are started here.
 */
import { promises, readFileSync, stat } from 'node:fs';
import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import { PitvError } from '../../errors.js';
import { native } from '../../native/native.js';
import { NODE_FILES, checkLockSupport } from '../lock-support.js';

/** @typedef {import('../lock-support.js').Lock} Lock */

/** Variables of the environment that are kept, because code reads them later. */
const KEPT_VARIABLES = ['NODE_ENV'];

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
