/** Time limits for code that does not return. */
import { Script } from 'node:vm';

/** What the script calls. @type {{run: () => unknown}} */
const target = { run: () => undefined };
const NAME = 'pitvTimeLimit';
const script = new Script(`${NAME}.run()`);

/**
 * Calls a function. V8 interrupts it, even in a loop without end, when its time is over. The limit does not apply to
 * what an asynchronous function does after its first await.
 * @template T
 * @param {number} limitMs 1..
 * @param {() => T} run
 * @returns {T}
 * @throws {Error} ERR_SCRIPT_EXECUTION_TIMEOUT, or what the function throws
 */
export function runWithin(limitMs, run) {
  target.run = run;
  Object.defineProperty(globalThis, NAME, { value: target, configurable: true });
  return script.runInThisContext({ timeout: Math.max(1, Math.ceil(limitMs)) });
}

/**
 * Waits for a value. An asynchronous function that never returns cannot be interrupted; only the wait ends.
 * @template T
 * @param {number} limitMs
 * @param {T | Promise<T>} value
 * @param {() => Error} makeError makes the error for a promise that is not settled in time
 * @returns {Promise<T>}
 * @throws {unknown} the promise's error, or makeError()
 */
export async function settleWithin(limitMs, value, makeError) {
  if (!(value instanceof Promise)) return value;
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(makeError()), limitMs);
  });
  try {
    return await Promise.race([value, /** @type {Promise<never>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}
