/**
 * Before a zygote stands still, everything that lives in its event loop is closed: none of it could
 * live on in a child, and half of it would do harm there (two processes that read one socket).
 */
import { closeSync, readdirSync, readFileSync, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import os from 'node:os';
import { PitvError } from '../../../errors.js';

/** A socket's close, say, takes a turn or two of the loop, and its handler may open something new. */
const CLOSING_ROUNDS = 20;
/** How long work of libuv's threads (files, names, zlib, scrypt) may go on after warm() is over. */
const REQUESTS_MS = 10_000;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * To be made before the module is loaded: remembers what belongs to Node itself.
 * @param {import('./internals.js').Internals} internals
 * @param {import('../../../native/native.js').Native} addon
 */
export async function createFreezer(internals, addon) {
  await openEverything();
  const own = new Set(descriptors());
  const ownThreads = threads();
  const kept = new Set();

  return {
    /** @param {number} fd stays open in the zygote and in its children */
    keep(fd) {
      kept.add(fd);
    },

    /**
     * @param {number[]} needed descriptors that the zygote itself still needs
     * @returns {Promise<string[]>} what had been left open, for the log
     * @throws {PitvError} PITV_ZYGOTE_THREADS, PITV_ZYGOTE_OPEN
     */
    async freeze(needed) {
      const closed = await settle();
      for (let round = 0; ; round++) {
        const timers = internals.clearTimers();
        if (timers > 0) closed.push(`${timers} timers`);
        for (const signal of Object.keys(os.constants.signals)) process.removeAllListeners(signal);
        const open = addon.openHandles();
        if (open.length === 0) break;
        if (round === 0) closed.push(...open);
        if (round === CLOSING_ROUNDS) {
          const sentence = `The module's ${open.join(', ')} can't be closed, and so not be forked.`;
          throw new PitvError('PITV_ZYGOTE_OPEN', sentence);
        }
        for (const owner of activeHandles()) closeOwner(owner, round);
        await turn();
        await turn();
      }
      internals.resetStdio();
      if (threads() > ownThreads) {
        const sentence =
          'The module has started threads. A fork takes none of them along: start them in the child.';
        throw new PitvError('PITV_ZYGOTE_THREADS', sentence);
      }
      const strays = descriptors().filter(
        (fd) => !own.has(fd) && !kept.has(fd) && !needed.includes(fd),
      );
      for (const fd of strays) closeSync(fd);
      if (strays.length > 0) closed.push(`${strays.length} descriptors`);
      return closed;
    },
  };
}

/**
 * libuv opens some of its descriptors and threads when they are first needed. Once all of them are
 * there, what comes later is the module's.
 */
async function openEverything() {
  const ignore = () => {};
  process.on('SIGWINCH', ignore).off('SIGWINCH', ignore);
  watch('/').close();
  await stat('/');
  await turn();
}

/** @returns {Promise<string[]>} */
async function settle() {
  const until = Date.now() + REQUESTS_MS;
  while (activeRequests().length > 0) {
    if (Date.now() > until) {
      const names = activeRequests().map((request) => request?.constructor?.name);
      const sentence = `The module still waits for ${names.join(', ')}; warm() must not end before.`;
      throw new PitvError('PITV_ZYGOTE_OPEN', sentence);
    }
    await turn();
  }
  return [];
}

/** @returns {any[]} */
const activeHandles = () => Reflect.get(process, '_getActiveHandles').call(process);
/** @returns {any[]} */
const activeRequests = () => Reflect.get(process, '_getActiveRequests').call(process);

/**
 * First as the module would do it, so that its own handlers run; then the hard way.
 * @param {any} owner @param {number} round
 */
function closeOwner(owner, round) {
  if (owner._isStdio) {
    if (owner.isTTY)
      owner._handle?.close(); // has a descriptor of its own beside 0, 1 or 2
    else owner._handle?.unref?.();
    return;
  }
  try {
    if (round === 0) {
      owner.closeAllConnections?.();
      if (owner.kill && owner.pid) owner.stdin?.destroy(); // a child process is left to itself
      for (const way of ['destroy', 'close', 'disconnect']) {
        if (typeof owner[way] === 'function') return owner[way]();
      }
    }
    (owner._handle ?? owner).close?.();
  } catch {
    // Closed by something else meanwhile; if not, the next round finds it again.
  }
}

/** @returns {number[]} */
function descriptors() {
  return readdirSync('/proc/self/fd').map(Number).filter(isOpen);
}

/** The list itself was read through a descriptor that is closed by now. @param {number} fd */
function isOpen(fd) {
  try {
    readFileSync(`/proc/self/fdinfo/${fd}`);
    return true;
  } catch {
    return false;
  }
}

function threads() {
  return readdirSync('/proc/self/task').length;
}
