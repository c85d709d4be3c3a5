/** Represents one worker on the main thread, for every engine kind. */
import { EventEmitter } from 'node:events';
import { PitvError, messageOf } from '../../errors.js';
import { CONTROL, STATE } from '../mailbox/mailbox.js';
import { settleWithin } from '../worker/time-limit.js';
import { checkStopOptions } from './options.js';
import { measureWorkers } from './process-worker.js';

/**
 * @typedef {'done' | 'stopped' | 'crashed' | 'hung' | 'out-of-memory'} ExitReason
 *
 * @typedef {object} Exit
 * @property {ExitReason} reason
 * @property {number | null} code exit status of the process or thread
 * @property {NodeJS.Signals | null} signal that ended the process
 * @property {Error} [error] the error that the job threw
 */

/** @typedef {import('./launcher.js').Launch} Launch */

/** A killed worker that has not ended after this time is reported as stuck. */
const KILL_TIMEOUT_MS = 5000;

/** Emits 'warning' with a sentence about the job, and 'exit' with an Exit, once, if the worker was ready before. */
export class WorkerHandle extends EventEmitter {
  /** @type {Launch | undefined} */
  #launch;
  /** @type {ExitReason | undefined} */
  #forced;
  /** Why it was killed, if the worker broke a rule. @type {Error | undefined} */
  #violation;
  #stopping = false;
  #finished = false;
  /** @type {NodeJS.Timeout | undefined} */
  #killTimer;
  #ready = false;
  #resolveExited = (/** @type {Exit} */ _) => {};
  /** The kernel's id of the thread that runs the job; undefined if unknown. @type {number | undefined} */
  tid;

  /**
   * @param {{id: number, name: string, mailbox: import('../mailbox/mailbox.js').Mailbox, startedAt: number,
   *   inspectBase?: string, locked?: boolean, tickHz: number}} about startedAt: when start() was called,
   *   performance.now()
   */
  constructor({ id, name, mailbox, startedAt, inspectBase, tickHz, locked = false }) {
    super();
    this.locked = locked;
    this.tickHz = tickHz;
    this.id = id;
    this.name = name;
    this.mailbox = mailbox;
    /** Milliseconds from the call of start() until the thread or process was created, and until it was ready. */
    this.startup = { spawnMs: 0, readyMs: 0 };
    this.startedAt = startedAt;
    /** True while the worker writes a profile or a heap snapshot, during which its ticks may pause. */
    this.inspecting = false;
    this.inspectBase = inspectBase;
    /** @type {Promise<Exit>} resolves when the thread or process has ended; never rejects */
    this.exited = new Promise((resolve) => (this.#resolveExited = resolve));
  }

  get pid() {
    return this.#launch?.pid ?? 0;
  }
  get threadId() {
    return this.#launch?.threadId ?? 0;
  }
  /** True when the worker is ready and has not been asked to stop. */
  get running() {
    return this.#ready && !this.#stopping && !this.#forced;
  }

  /** True while the process of the worker exists and is not ready. */
  get starting() {
    return !this.#ready && !this.#finished && !this.#stopping && !this.#forced && this.pid > 0;
  }

  /**
   * Launches the worker.
   * @param {() => Launch} launch
   * @throws {PitvError} PITV_WORKER_FAILED when launch() throws; the worker counts as ended then
   */
  attach(launch) {
    try {
      this.#launch = launch();
    } catch (error) {
      const exit = /** @type {Exit} */ ({ reason: 'crashed', code: null, signal: null });
      this.#finished = true;
      this.#resolveExited(exit);
      throw this.#startFailure(error, exit);
    }
    const { ready, ended } = this.#launch;
    this.startup.spawnMs = performance.now() - this.startedAt;
    ready.then(
      ({ tid }) => {
        this.tid = tid;
        this.#ready = true;
        this.startup.readyMs = performance.now() - this.startedAt;
      },
      () => {},
    );
    ended.then((end) => this.#finish(end));
  }

  /** @param {import('./launcher.js').LaunchEnd} end */
  #finish(end) {
    if (this.#finished) return;
    this.#finished = true;
    clearTimeout(this.#killTimer);
    const { code, signal, error = this.#violation } = end;
    const exit = { reason: this.#reasonOf(end), code, signal, error };
    this.#resolveExited(exit);
    // Deferred, so that the caller of start() can add its listener first.
    if (this.#ready) setImmediate(() => this.emit('exit', exit));
  }

  /** Emits a warning of the job. @param {string} sentence */
  warned(sentence) {
    setImmediate(() => this.emit('warning', sentence)); // after the caller of start() has added its listener
  }

  #kill() {
    if (this.#finished) return;
    this.#launch?.kill();
    this.#killTimer ??= setTimeout(() => {
      const sentence = `Worker "${this.name}" is stuck in the kernel or in native code and cannot be killed.`;
      const error = new PitvError('PITV_WORKER_STUCK', sentence);
      this.#finish({ code: null, signal: null, error });
    }, KILL_TIMEOUT_MS);
  }

  /** @param {import('./launcher.js').LaunchEnd} end @returns {ExitReason} */
  #reasonOf(end) {
    if (this.#forced) return this.#forced;
    if (end.outOfMemory) return 'out-of-memory';
    const { state } = this.mailbox;
    if (!end.error && end.code === 0 && state === STATE.done) return 'done';
    if (this.#stopping || (!end.error && end.code === 0 && state === STATE.stopped))
      return 'stopped';
    return 'crashed';
  }

  /**
   * Waits until the worker is ready.
   * @param {number} timeoutMs @param {AbortSignal} [signal]
   * @returns {Promise<void>}
   * @throws {PitvError} PITV_WORKER_FAILED, PITV_WORKER_TIMEOUT, PITV_WORKER_STOPPED
   */
  async whenReady(timeoutMs, signal) {
    const launch = /** @type {Launch} */ (this.#launch);
    const abort = () => this.terminate('stopped');
    const gone = this.exited.then((exit) => {
      throw this.#startFailure(exit.error, exit);
    });
    const failed = launch.ready.catch(async (error) => {
      this.#kill();
      throw this.#startFailure(error, await this.exited);
    });
    signal?.addEventListener('abort', abort);
    this.exited.then(() => signal?.removeEventListener('abort', abort));
    if (signal?.aborted) abort();
    await settleWithin(timeoutMs, Promise.race([failed, gone]), () => {
      const sentence = `Worker "${this.name}" was not ready within ${timeoutMs} ms.`;
      return new PitvError('PITV_WORKER_TIMEOUT', sentence);
    });
    if (this.#stopping || this.#forced) await gone;
  }

  /** @param {unknown} error @param {Exit} exit */
  #startFailure(error, exit) {
    if (exit.reason === 'stopped') {
      const sentence = `Worker "${this.name}" was stopped as it started.`;
      return new PitvError('PITV_WORKER_STOPPED', sentence);
    }
    if (exit.reason === 'hung') {
      const sentence = `Worker "${this.name}" did not start: its module does not return. Does it loop?`;
      return new PitvError('PITV_WORKER_TIMEOUT', sentence);
    }
    const why = error ? messageOf(error) : `ended with ${exit.signal ?? `code ${exit.code}`}`;
    return new PitvError('PITV_WORKER_FAILED', `Worker "${this.name}" did not start: ${why}`, {
      cause: error,
      details: { reason: exit.reason, code: exit.code, signal: exit.signal },
    });
  }

  /**
   * Asks the worker to write a last checkpoint and to end. Kills it after graceMs. It may be called at any time and
   * more than once; the earliest deadline applies.
   * @param {{graceMs?: number}} [options] 0..600,000; default 1,000
   * @returns {Promise<Exit>}
   * @throws {PitvError} PITV_OPTION_INVALID
   */
  async stop(options = {}) {
    const { graceMs } = checkStopOptions('stop()', options);
    if (this.#finished) return this.exited;
    this.#stopping = true;
    this.mailbox.control = CONTROL.stop;
    const timer = setTimeout(() => this.#kill(), graceMs);
    return this.exited.finally(() => clearTimeout(timer));
  }

  /**
   * Kills the worker.
   * @param {ExitReason} reason reported as the reason of the exit
   * @param {Error} [error] reported as its error
   * @returns {Promise<Exit>}
   */
  terminate(reason, error) {
    this.#forced ??= reason;
    this.#violation ??= error;
    this.#kill();
    return this.exited;
  }

  /** Measures the worker. @returns {Promise<import('./launcher.js').WorkerStats>} */
  async stats() {
    const [stats] = await measureWorkers([this]);
    return stats;
  }
}
