/** Starts a controller of ksmd, and waits for it. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 250;

/**
 * Starts a controller as soon as no other test or run holds its lock.
 * @param {import('../../../ksm/index.js').KsmController} controller @param {number} timeoutMs
 * @returns {Promise<void>}
 * @throws {Error} KSM_LOCKED if the lock is still held after the timeout; the errors of start()
 */
export async function startController(controller, timeoutMs) {
  const until = performance.now() + timeoutMs;
  for (;;) {
    try {
      return controller.start();
    } catch (error) {
      const locked = Reflect.get(Object(error), 'code') === 'KSM_LOCKED';
      if (!locked || performance.now() > until) throw error;
      await sleep(POLL_MS);
    }
  }
}

/**
 * Waits for a mode of the controller.
 * @param {import('node:events').EventEmitter & {readonly mode: string}} controller
 * @param {string} mode @param {number} timeoutMs
 * @returns {Promise<boolean>} false on timeout
 * @throws {Error} if another program has changed ksmd's settings, or the controller has stopped ksmd
 */
export async function waitForMode(controller, mode, timeoutMs) {
  const timeout = new AbortController();
  const { signal } = timeout;
  const timer = setTimeout(() => timeout.abort(), Math.max(1, timeoutMs));
  const yielded = once(controller, 'yield', { signal }).then(() => {
    throw new Error('another program changed the settings of ksmd');
  });
  yielded.catch(() => {});
  try {
    while (controller.mode !== mode) {
      await Promise.race([once(controller, 'mode', { signal }), yielded]);
      if (controller.mode === 'off') throw new Error('the controller stopped ksmd: no profit');
    }
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  } finally {
    clearTimeout(timer);
    timeout.abort(); // removes the listeners
  }
}
