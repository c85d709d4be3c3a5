/** Starts a controller of ksmd, and waits for it. */
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;

/**
 * Starts a controller as soon as no other test or run holds its lock.
 * @param {import('../../../ksm/index.js').KsmController} controller @param {number} timeoutMs
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
 * @param {{readonly mode: string, readonly running: boolean}} controller @param {string} mode @param {number} timeoutMs
 * @returns {Promise<boolean>} false on timeout
 * @throws {Error} if another program has changed ksmd's settings, or the controller has stopped ksmd
 */
export async function waitForMode(controller, mode, timeoutMs) {
  const until = performance.now() + timeoutMs;
  while (controller.mode !== mode) {
    if (!controller.running) throw new Error('another program changed the settings of ksmd');
    if (controller.mode === 'off') throw new Error('the controller stopped ksmd: no profit');
    if (performance.now() > until) return false;
    await sleep(POLL_MS);
  }
  return true;
}
