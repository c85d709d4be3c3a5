/** The log: lines of JSON on stderr, by pino. */
import pino from 'pino';

/**
 * Writing is asynchronous, so that a reader of stderr that has fallen asleep never holds up the
 * main thread; call the flush before the process ends.
 * @param {string} level one of config's log levels
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
        // Nobody reads stderr any more; there is nowhere left to say so.
      }
    },
  };
}

/** A log that says nothing, for tests. */
export const silentLog = pino({ level: 'silent' });
