/** Creates the log: lines of JSON on stderr, written by pino. Texts of strangers in it are shown as text. */
import { visibleText } from './errors/visible-text.js';
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
  const flush = () => {
    try {
      destination.flushSync();
    } catch {
      // The reader of stderr is gone, so the error cannot be reported either.
    }
  };
  const visible = {
    write: (/** @type {string} */ line) => destination.write(visibleText(line)),
    flushSync: flush, // pino calls it after a fatal error
  };
  return { log: pino({ level, base: undefined }, visible), flush };
}

/** A log that writes nothing, for tests. */
export const silentLog = pino({ level: 'silent' });
