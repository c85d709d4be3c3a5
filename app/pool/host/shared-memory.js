/** The shared memory and the events of a pool whose workers are processes. */
import { PitvError, messageOf } from '../../errors.js';
import { checkLockSupport } from '../../engine/lock.js';
import { native } from '../../native/native.js';
import { Arena } from '../transport/arena.js';
import { CONTROL, CONTROL_BYTES, RING_BYTES, linkBytes, ringsOf } from '../transport/layout.js';

/**
 * Checks that workers can be processes here.
 * @param {import('../options.js').CheckedPoolOptions} options
 * @throws {PitvError} PITV_ENGINE_UNSUPPORTED; PITV_LOCK_UNSUPPORTED
 */
export function checkRequirements({ engine, locked }) {
  let missing = process.platform === 'linux' ? '' : 'It needs Linux.';
  try {
    native();
  } catch (error) {
    missing ||= messageOf(error);
  }
  if (missing) {
    const sentence = `A pool with the engine "${engine}" does not work here: ${missing} The engine "thread" works everywhere.`;
    throw new PitvError('PITV_ENGINE_UNSUPPORTED', sentence);
  }
  if (locked) checkLockSupport();
}

/** @typedef {ReturnType<typeof createLink>} Link */

/**
 * Opens the parts that all workers of a pool share: an arena, and the event by which a worker that has sent something
 * wakes the pool's event loop.
 * @param {import('../options.js').CheckedPoolOptions} options
 * @param {() => void} onRing
 */
export function openShared({ locked }, onRing) {
  const addon = native();
  // A locked worker must not read what others have in the arena.
  const arena = locked ? undefined : new Arena();
  /** @type {number[]} the pool's end and that of all workers */
  let bell = [];
  /** @type {import('../../native/native.js').Watcher} */
  let watcher;
  try {
    bell = addon.createEvent();
    for (const descriptor of bell) addon.ownDescriptor(descriptor);
    watcher = addon.watchEvent(bell[0], onRing);
  } catch (error) {
    for (const descriptor of bell) addon.closeDescriptor(descriptor);
    arena?.close();
    throw error;
  }
  return {
    kind: {
      arena,
      keepAlive: (/** @type {boolean} */ on) =>
        on ? addon.refWatcher(watcher) : addon.unrefWatcher(watcher),
      async close() {
        addon.closeWatcher(watcher);
        // Not at once: libuv removes the descriptor from its poll set at the end of this turn.
        setImmediate(() => bell.forEach(addon.closeDescriptor));
        arena?.close();
      },
    },

    /**
     * Creates the memory of one worker and starts the worker.
     * @template T @param {(link: Link) => T} start
     * @param {SharedArrayBuffer} [control] for the rings' control words; default: they are in that memory, too
     * @returns {T}
     * @throws {unknown} what start() throws, after the memory has been freed
     */
    launch(start, control) {
      const link = createLink(bell[1], arena, control);
      try {
        return start(link);
      } catch (error) {
        link.closeChildEnds();
        link.free();
        throw error;
      }
    },
  };
}

/**
 * Creates the memory of one worker.
 * @param {number} bell descriptor to signal the pool's event @param {Arena | undefined} arena
 * @param {SharedArrayBuffer} [control] see launch()
 */
function createLink(bell, arena, control) {
  const addon = native();
  /** @type {number[]} */
  const opened = [];
  /** @type {ArrayBuffer[]} what has been seen of the memory */
  const parts = [];
  try {
    const [ownEvent, ownBell] = addon.createEvent();
    opened.push(ownEvent, ownBell);
    const { buffer: memory, fd } = addon.createArena(linkBytes(RING_BYTES));
    opened.push(fd);
    for (const descriptor of opened) addon.ownDescriptor(descriptor);
    const view = (/** @type {number} */ offset, /** @type {number} */ bytes) => {
      const part = addon.viewMemory(memory, offset, bytes);
      parts.push(part);
      return new Uint8Array(part);
    };
    const rings = ringsOf(view, RING_BYTES, control);
    return {
      /** For serveProcess() and the program of a thread. */
      descriptors: [fd, bell, ownEvent, ...(arena ? [arena.fd] : [])],
      rings,
      /** Whether the worker has ended for want of memory. */
      outOfMemory: () => Atomics.load(rings.requests.control, CONTROL.exhausted) === 1,
      /** Closes what only the worker needs, after a process has been spawned or a thread has ended. */
      closeChildEnds: () => [fd, ownEvent].forEach(addon.closeDescriptor),
      wakeBlocked: (/** @type {Int32Array} */ words, /** @type {number} */ index) =>
        addon.wakeWord(words, index),
      wakeLoop: () => addon.signalEvent(ownBell),
      trim: () => addon.discardMemory(memory, CONTROL_BYTES, 2 * RING_BYTES),
      free() {
        for (const part of parts) addon.unmapMemory(part);
        addon.unmapMemory(memory);
        addon.closeDescriptor(ownBell);
      },
    };
  } catch (error) {
    for (const descriptor of opened) addon.closeDescriptor(descriptor);
    throw error;
  }
}
