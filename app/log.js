/** Creates the log: lines of JSON on stderr, written by pino. */
import { require } from './require.js';

const { pino } = /** @type {typeof import('pino')} */ (require('pino'));

/**
 * Creates the log. It writes asynchronously, so a reader of stderr that stops reading never blocks the main thread.
 * Call flush() before the process ends.
 * @param {string} level a log level of the settings
 * @returns {{log: import('pino').Logger, flush: () => void}}
 */
export function createLog(level) {
  const destination = pino.destination({ dest: 2, sync: false });
  const log = pino({ level, base: undefined }, destination);
  return {
    log,
    flush() {
      try {
        destination.flushSync();
      } catch {
        // The reader of stderr is gone, so the error cannot be reported either.
      }
    },
  };
}

/** A log that writes nothing, for tests. */
export const silentLog = pino({ level: 'silent' });
