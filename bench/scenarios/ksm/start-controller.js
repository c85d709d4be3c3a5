import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Starts a controller as soon as no other test or run holds its lock.
 * @param {import('../../../ksm/index.js').KsmController} controller
 * @param {{timeoutMs: number, everyMs: number}} wait
 * @returns {Promise<void>}
 * @throws {Error} KSM_LOCKED if the lock is still held after the timeout; the errors of start()
 */
export async function startController(controller, { timeoutMs, everyMs }) {
  const until = performance.now() + timeoutMs;
  for (;;) {
    try {
      return controller.start();
    } catch (error) {
      const locked = Reflect.get(Object(error), 'code') === 'KSM_LOCKED';
      if (!locked || performance.now() > until) throw error;
      await sleep(everyMs);
    }
  }
}
