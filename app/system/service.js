/** Notifies the service manager that started the TV, if any (sd_notify(3)): ready, status, watchdog, stopping. */
import { PitvError, messageOf } from '../errors.js';
import { native } from '../native/native.js';

/** Keep-alive messages per period of the watchdog: two of them may be lost. */
const FEEDS = 3;

export class Service {
  /** @type {NodeJS.Timeout | undefined} */
  #feeding;
  #status = '';
  #parts;

  /**
   * @param {object} parts
   * @param {string} parts.socket empty: there is no manager
   * @param {number} parts.watchdogMs 0: no watchdog @param {Pick<import('pino').Logger, 'warn'>} parts.log
   * @param {(socket: string, text: string) => void} [parts.send] for tests
   */
  constructor(parts) {
    this.#parts = parts;
  }

  /** Sends a notification. @param {string} text lines of NAME=value @returns {boolean} whether it was sent */
  #notify(text) {
    const { socket, log, send } = this.#parts;
    if (socket === '') return false;
    try {
      (send ?? native().notify)(socket, text);
      return true;
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'the service manager cannot be notified');
      return false;
    }
  }

  /**
   * Reports that the TV has started, and begins to feed the watchdog from the event loop: if the loop blocks, the
   * watchdog ends the TV.
   * @param {string} status one line
   */
  ready(status) {
    this.#status = status;
    this.#notify(`READY=1\nSTATUS=${status}`);
    const { socket, watchdogMs } = this.#parts;
    if (watchdogMs === 0 || socket === '') return;
    this.#feeding = setInterval(() => this.#notify('WATCHDOG=1'), watchdogMs / FEEDS).unref();
  }

  /** Reports the status. @param {string} status one line, shown by `systemctl status` */
  status(status) {
    if (status === this.#status) return;
    this.#status = status;
    this.#notify(`STATUS=${status}`);
  }

  /**
   * Lets the event loop block for longer than the watchdog's period: sets another period (WATCHDOG_USEC,
   * sd_notify(3)). If the loop blocks longer than that, the watchdog ends the TV.
   * @param {number} ms
   * @returns {() => void} restores the period; call it afterwards
   * @throws {PitvError} PITV_WATCHDOG when the manager cannot be notified
   */
  extendWatchdog(ms) {
    if (this.#feeding === undefined) return () => {};
    const { watchdogMs } = this.#parts;
    if (!this.#notify(`WATCHDOG_USEC=${Math.max(ms, watchdogMs) * 1000}\nWATCHDOG=1`)) {
      const sentence =
        'The service manager cannot be asked to wait and would end the TV meanwhile. Try again.';
      throw new PitvError('PITV_WATCHDOG', sentence);
    }
    return () => void this.#notify(`WATCHDOG_USEC=${watchdogMs * 1000}\nWATCHDOG=1`);
  }

  /** Reports that the TV stops. The watchdog is fed until close(). */
  stopping() {
    this.#notify('STOPPING=1');
  }

  close() {
    clearInterval(this.#feeding);
  }
}

/**
 * Creates a Service from the manager's variables, and removes these from the environment, so that workers do not notify
 * the manager.
 * @param {NodeJS.ProcessEnv} env @param {Pick<import('pino').Logger, 'warn'>} log @param {number} [pid]
 */
export function createService(env, log, pid = process.pid) {
  const { NOTIFY_SOCKET: socket = '', WATCHDOG_USEC: usec, WATCHDOG_PID: watched } = env;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name];
  const mine = watched === undefined || Number(watched) === pid;
  const watchdogMs = mine && /^\d{1,15}$/.test(usec ?? '') ? Math.floor(Number(usec) / 1000) : 0;
  return new Service({ socket, watchdogMs, log });
}
