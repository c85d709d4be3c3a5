/**
 * Closes everything in a zygote's event loop before it forks. Handles do not work in a child, and some would do harm
 * (for example, two processes that read from one socket).
 */
import { closeSync, existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import os from 'node:os';
import { PitvError } from '../../../errors.js';

/** Closing a socket, for example, takes a turn or two of the event loop, and its handler may open something new. */
const MAX_CLOSE_ROUNDS = 20;
/** How long work in libuv's threads (files, DNS, zlib, scrypt) may continue after warm(). */
const REQUESTS_TIMEOUT_MS = 10_000;

/**
 * Numbers of epoll_wait(2), epoll_pwait(2) and epoll_pwait2(2) on x64, arm64, Arm and ia32. Event loops sleep in them.
 */
const EPOLL_CALLS = ['232', '281', '441', '22', '252', '346', '256', '319'];
/** How often threads are looked at that have not gone to sleep yet. */
const MAX_LOOKS = 200;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Creates a freezer. Call it before loading the module: it records the descriptors and threads of Node itself.
 * @param {import('./internals.js').Internals} internals
 * @param {import('../../../native/native.js').Native} addon
 * @throws {PitvError} PITV_ZYGOTE_HOOKS
 */
export async function createFreezer(internals, addon) {
  await openLazyHandles();
  const own = new Set(listDescriptors());
  const ownThreads = countThreads();
  await refuseOtherLoops();
  const kept = new Set();

  return {
    /** Descriptors of the module that stay open in the zygote and in its children. @type {Set<number>} */
    kept,

    /** Keeps a descriptor open in the zygote and in its children. @param {number} fd */
    keep(fd) {
      kept.add(fd);
    },

    /**
     * Closes all timers, handles and descriptors of the module.
     * @param {number[]} needed descriptors that the zygote itself needs
     * @returns {Promise<string[]>} what has been closed, for the log
     * @throws {PitvError} PITV_ZYGOTE_THREADS, PITV_ZYGOTE_OPEN
     */
    async freeze(needed) {
      await waitForRequests();
      /** @type {string[]} */
      const closed = [];
      for (let round = 0; ; round++) {
        const timers = internals.clearTimers();
        if (timers > 0) closed.push(`${timers} timers`);
        for (const signal of Object.keys(os.constants.signals)) process.removeAllListeners(signal);
        const open = addon.openHandles();
        if (open.length === 0) break;
        if (round === 0) closed.push(...open);
        if (round === MAX_CLOSE_ROUNDS) {
          const sentence = `The module's ${open.join(', ')} cannot be closed, and an open handle cannot be forked.`;
          throw new PitvError('PITV_ZYGOTE_OPEN', sentence);
        }
        for (const owner of activeHandles()) closeOwner(owner, round);
        await nextTurn();
        await nextTurn();
      }
      internals.resetStdio();
      if (countThreads() > ownThreads) {
        const sentence =
          'The module has started threads. A fork does not copy threads: start them in the child.';
        throw new PitvError('PITV_ZYGOTE_THREADS', sentence);
      }
      const strays = listDescriptors().filter(
        (fd) => !own.has(fd) && !kept.has(fd) && !needed.includes(fd),
      );
      for (const fd of strays) closeSync(fd);
      if (strays.length > 0) closed.push(`${strays.length} descriptors`);
      return closed;
    },
  };
}

/**
 * Makes libuv open the descriptors and threads that it opens on first use. Those that appear later belong to the
 * module.
 */
async function openLazyHandles() {
  const ignore = () => {};
  process.on('SIGWINCH', ignore).off('SIGWINCH', ignore);
  watch('/').close();
  await stat('/');
  await nextTurn();
}

/**
 * Checks that there are no threads with event loops besides Node's own (DelayedTaskScheduler). Options such as --import
 * may have started them before the zygote's program. Module hooks run in such a thread, so a child that imports a
 * module would wait for it for ever.
 * @throws {PitvError} PITV_ZYGOTE_HOOKS
 */
async function refuseOtherLoops() {
  let calls = readThreadCalls();
  for (let looks = 1; calls.includes('running') && looks < MAX_LOOKS; looks++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    calls = readThreadCalls();
  }
  if (calls.filter((call) => EPOLL_CALLS.includes(call)).length <= 1) return;
  const sentence =
    'Module hooks (module.register(), --experimental-loader), or a module that is loaded ahead, run in a thread, which a fork does not copy. ' +
    'Use module.registerHooks(), or workers that are processes or threads.';
  throw new PitvError('PITV_ZYGOTE_HOOKS', sentence);
}

/** @returns {string[]} numbers of the system calls in which the other threads sleep (proc(5)), or `running` */
function readThreadCalls() {
  const threads = readdirSync('/proc/self/task').filter((id) => Number(id) !== process.pid);
  return threads.map((id) => {
    try {
      return readFileSync(`/proc/self/task/${id}/syscall`, 'latin1').trim().split(' ')[0];
    } catch {
      return ''; // it has ended, or this system does not tell
    }
  });
}

/** Waits for the work of libuv's threads. @throws {PitvError} PITV_ZYGOTE_OPEN */
async function waitForRequests() {
  const deadline = Date.now() + REQUESTS_TIMEOUT_MS;
  while (activeRequests().length > 0) {
    if (Date.now() > deadline) {
      const names = activeRequests().map((request) => request?.constructor?.name);
      const sentence = `The module still waits for ${names.join(', ')}. warm() must wait for all asynchronous work.`;
      throw new PitvError('PITV_ZYGOTE_OPEN', sentence);
    }
    await nextTurn();
  }
}

/** @returns {any[]} */
const activeHandles = () => Reflect.get(process, '_getActiveHandles').call(process);
/** @returns {any[]} */
const activeRequests = () => Reflect.get(process, '_getActiveRequests').call(process);

/**
 * Closes a handle: in the first round by its public method, so that the module's handlers run, then directly.
 * @param {any} owner @param {number} round
 */
function closeOwner(owner, round) {
  if (owner._isStdio) {
    if (owner.isTTY)
      owner._handle?.close(); // has another descriptor than 0, 1 or 2
    else owner._handle?.unref?.();
    return;
  }
  try {
    if (round === 0) {
      owner.closeAllConnections?.();
      if (owner.kill && owner.pid) owner.stdin?.destroy(); // a child process keeps running
      for (const method of ['destroy', 'close', 'disconnect']) {
        if (typeof owner[method] === 'function') return owner[method]();
      }
    }
    (owner._handle ?? owner).close?.();
  } catch {
    // It has been closed meanwhile; if not, the next round finds it again.
  }
}

/** Lists the open descriptors. The one that readdirSync() used is closed by now. @returns {number[]} */
function listDescriptors() {
  const all = readdirSync('/proc/self/fd').map(Number);
  return all.filter((fd) => existsSync(`/proc/self/fdinfo/${fd}`));
}

function countThreads() {
  return readdirSync('/proc/self/task').length;
}
