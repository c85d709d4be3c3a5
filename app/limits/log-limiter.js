/** Limits the log lines about frequent errors to one a minute for each kind. */
import { messageOf } from '../errors.js';

const PAUSE_MS = 60_000;

export class LogLimiter {
  /** @type {Map<string, {loggedAt: number, unlogged: number}>} by message and code */
  #kinds = new Map();

  /** @param {Pick<import('pino').BaseLogger, 'error'>} log */
  constructor(log) {
    this.log = log;
  }

  /**
   * Logs an error, unless one of the same kind was logged within the last minute. The next line has the number of
   * skipped errors.
   * @param {any} error errors of the system have a `code`
   * @param {object} fields of the line
   * @param {string} message a constant, because each message is remembered
   * @param {number} [now] ms
   */
  error(error, fields, message, now = performance.now()) {
    const key = `${message} ${error?.code}`;
    const kind = this.#kinds.get(key);
    if (kind && now - kind.loggedAt < PAUSE_MS) {
      kind.unlogged++;
      return;
    }
    const unlogged = kind?.unlogged ?? 0;
    this.log.error({ ...fields, error: messageOf(error), ...(unlogged && { unlogged }) }, message);
    this.#kinds.set(key, { loggedAt: now, unlogged: 0 });
  }
}
