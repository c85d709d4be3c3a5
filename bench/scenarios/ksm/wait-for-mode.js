import { once } from 'node:events';

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
