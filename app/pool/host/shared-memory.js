/** The shared memory and the events of a pool whose workers are processes. */
import { closeSync } from 'node:fs';
import { PitvError, messageOf } from '../../errors.js';
import { missingForLock } from '../../engine/lock-support.js';
import { native } from '../../native/native.js';
import { Arena } from '../transport/arena.js';
import { CONTROL_BYTES, RING_BYTES, linkBytes, ringsOf } from '../transport/layout.js';
import { Doorbell } from './doorbell.js';

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
  const lacking = locked ? missingForLock() : undefined;
  if (!lacking) return;
  throw new PitvError('PITV_LOCK_UNSUPPORTED', `Workers cannot be locked here without ${lacking}.`);
}

/**
 * Opens the parts that all workers of a pool share.
 * @param {import('../options.js').CheckedPoolOptions} options
 * @param {() => void} onRing
 */
export function openShared({ locked }, onRing) {
  const addon = native();
  const bell = new Doorbell(onRing);
  // A locked worker must not read what others have in the arena.
  const arena = locked ? undefined : new Arena();
  return {
    ringBytes: RING_BYTES,
    kind: {
      arena,
      ref: () => bell.ref(),
      unref: () => bell.unref(),
      async close() {
        bell.close();
        if (arena) closeSync(arena.fd);
      },
    },

    /** Creates the memory of one worker. The descriptors are for serveProcess(). */
    createLink() {
      const { buffer, fd } = addon.createSparseMemory(linkBytes(RING_BYTES));
      const ownEvent = addon.createEvent();
      return {
        descriptors: [fd, bell.fd, ownEvent, ...(arena ? [arena.fd] : [])],
        rings: ringsOf(buffer, RING_BYTES),
        /** Closes what only the child needs, after it has been spawned. */
        closeChildEnds: () => closeSync(fd),
        wakeBlocked: (/** @type {Int32Array} */ control, /** @type {number} */ index) =>
          addon.wakeWord(control, index),
        wakeLoop: () => addon.signalEvent(ownEvent),
        trim: () => addon.discardMemory(buffer, CONTROL_BYTES, buffer.byteLength - CONTROL_BYTES),
        free() {
          addon.unmapMemory(buffer);
          closeSync(ownEvent);
        },
      };
    },
  };
}
