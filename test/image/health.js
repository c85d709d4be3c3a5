/** Asks a TV that was started in another system for its health. */
import { until } from '../support/tv.js';

/** An emulated board is slow. */
const ANSWER_MS = 60_000;

/**
 * Waits until a TV answers.
 * @param {string} url @param {number} timeoutMs
 * @returns {Promise<any>} its health
 */
export function waitForHealth(url, timeoutMs) {
  const ask = () =>
    fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
      (answer) => answer.json(),
      () => undefined, // it does not listen yet
    );
  return until(ask, 'the TV to answer', timeoutMs);
}
