import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Starts a controller as soon as it can have ksmd: tests and other runs may have it just now.
 * @param {import('../../../ksm/index.js').KsmController} controller
 * @param {{timeoutMs: number, everyMs: number}} patience
 * @returns {Promise<void>}
 * @throws {Error} KSM_LOCKED when it is still taken then; what start() throws
 */
export async function takeOver(controller, { timeoutMs, everyMs }) {
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
