/**
 * The service manager that started the TV (systemd; sd_notify(3)): told when the TV is up, how it is, and
 * that it is alive. Does nothing where there is none.
 */
import { PitvError, messageOf } from '../errors.js';
import { native } from '../native/native.js';

/** A watchdog is fed this often within its time: once may be late, twice may be lost. */
const FEEDS = 3;

export class Service {
  /** @type {NodeJS.Timeout | undefined} */
  #feeding;
  #status = '';
  #socket;
  #watchdogMs;
  #send;

  /**
   * @param {object} parts
   * @param {string} parts.socket empty: there is no manager
   * @param {number} parts.watchdogMs 0: it does not watch
   * @param {Pick<import('pino').Logger, 'warn'>} parts.log
   * @param {(socket: string, text: string) => void} [parts.send] for tests
   */
  constructor({ socket, watchdogMs, log, send = (to, text) => native().notify(to, text) }) {
    this.#socket = socket;
    this.#watchdogMs = watchdogMs;
    this.#send = send;
    this.log = log;
  }

  /** @param {string} text lines of NAME=value @returns {boolean} whether the manager has been told */
  #tell(text) {
    if (this.#socket === '') return false;
    try {
      this.#send(this.#socket, text);
      return true;
    } catch (error) {
      this.log.warn({ error: messageOf(error) }, 'the service manager cannot be told');
      return false;
    }
  }

  /**
   * The TV is up. From now on the watchdog is fed by the event loop: a loop that stands still starves it.
   * @param {string} status one line
   */
  ready(status) {
    this.#status = status;
    this.#tell(`READY=1\nSTATUS=${status}`);
    if (this.#watchdogMs === 0 || this.#socket === '') return;
    this.#feeding = setInterval(() => this.#tell('WATCHDOG=1'), this.#watchdogMs / FEEDS);
    this.#feeding.unref();
  }

  /** @param {string} status one line, what `systemctl status` shows */
  status(status) {
    if (status === this.#status) return;
    this.#status = status;
    this.#tell(`STATUS=${status}`);
  }

  /**
   * Lets the event loop stand still for longer than the watchdog allows. The manager sets another time for
   * its watchdog (WATCHDOG_USEC, sd_notify(3)); a loop that stands still even longer is still ended.
   * @param {number} ms
   * @returns {() => void} sets the watchdog back to its own time; to be called afterwards
   * @throws {PitvError} PITV_WATCHDOG when the manager cannot be told
   */
  extendWatchdog(ms) {
    if (this.#feeding === undefined) return () => {};
    if (!this.#tell(`WATCHDOG_USEC=${Math.max(ms, this.#watchdogMs) * 1000}\nWATCHDOG=1`)) {
      throw new PitvError(
        'PITV_WATCHDOG',
        'The service manager cannot be told to wait, and would end the TV meanwhile. Try again.',
      );
    }
    return () => {
      this.#tell(`WATCHDOG_USEC=${this.#watchdogMs * 1000}\nWATCHDOG=1`);
    };
  }

  /** The TV goes off. Its watchdog is fed until the end. */
  stopping() {
    this.#tell('STOPPING=1');
  }

  close() {
    clearInterval(this.#feeding);
  }
}

/**
 * Takes the manager's variables out of the environment, so that no worker answers in the TV's place.
 * @param {NodeJS.ProcessEnv} env
 * @param {Pick<import('pino').Logger, 'warn'>} log
 * @param {number} [pid]
 * @returns {Service}
 */
export function takeService(env, log, pid = process.pid) {
  const { NOTIFY_SOCKET: socket = '', WATCHDOG_USEC: usec, WATCHDOG_PID: watched } = env;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name];
  const mine = watched === undefined || Number(watched) === pid;
  const watchdogMs = mine && /^\d{1,15}$/.test(usec ?? '') ? Math.floor(Number(usec) / 1000) : 0;
  return new Service({ socket, watchdogMs, log });
}
