/** One worker, as the main thread sees it; the same for all engines. */
import { EventEmitter } from 'node:events';
import { PitvError, messageOf } from '../../errors.js';
import { CONTROL, STATE } from '../mailbox/mailbox.js';
import { checkStopOptions } from './options.js';

/**
 * @typedef {'done' | 'stopped' | 'crashed' | 'hung' | 'out-of-memory'} ExitReason
 *
 * @typedef {object} Exit
 * @property {ExitReason} reason
 * @property {number | null} code exit status of the process or thread
 * @property {NodeJS.Signals | null} signal that ended the process
 * @property {Error} [error] what the job threw
 */

/** @typedef {import('./engine.js').Launch} Launch */

/** An end by force that has not come after so long is not waited for any longer. */
const GIVE_UP_MS = 5000;

/** Emits 'exit' with an Exit, once, after it had been ready. */
export class WorkerHandle extends EventEmitter {
  /** @type {Launch | undefined} */
  #launch;
  /** @type {ExitReason | undefined} */
  #forced;
  #stopping = false;
  #finished = false;
  /** @type {NodeJS.Timeout | undefined} */
  #givingUp;
  #ready = false;
  #stats;
  /** @type {(exit: Exit) => void} */
  #resolveExited;
  /** @type {number | undefined} */
  #tid;

  /**
   * @param {{id: number, name: string, mailbox: import('../mailbox/mailbox.js').Mailbox, inspectBase?: string,
   *   stats: (worker: WorkerHandle) => Promise<import('./engine.js').WorkerStats>}} about
   */
  constructor({ id, name, mailbox, stats, inspectBase }) {
    super();
    this.id = id;
    this.name = name;
    this.mailbox = mailbox;
    /** ms from the call of start() until the thread or process was created, and until it was ready */
    this.startup = { spawnMs: 0, readyMs: 0 };
    this.startedAt = performance.now();
    /** is a profile or a snapshot of it being taken? Then it may stand still. */
    this.inspecting = false;
    this.inspectBase = inspectBase;
    this.#stats = stats;
    this.#resolveExited = () => {};
    /** @type {Promise<Exit>} resolves when nothing of the worker runs any more; never rejects */
    this.exited = new Promise((resolve) => (this.#resolveExited = resolve));
  }

  get pid() {
    return this.#launch?.pid ?? 0;
  }
  get threadId() {
    return this.#launch?.threadId ?? 0;
  }
  /** The kernel's number of the thread that runs the job, where it could be found out. */
  get tid() {
    return this.#tid;
  }
  /** Is it to be watched: ready, and not asked to end? */
  get running() {
    return this.#ready && !this.#stopping && !this.#forced;
  }

  /**
   * @param {() => Launch} launcher may throw, which ends this worker before it began
   * @throws what launcher() threw
   */
  attach(launcher) {
    try {
      this.#launch = launcher();
    } catch (error) {
      this.#finished = true;
      this.#resolveExited({ reason: 'crashed', code: null, signal: null });
      throw this.#startFailure(error, { reason: 'crashed', code: null, signal: null });
    }
    const { ready, ended } = this.#launch;
    this.startup.spawnMs = performance.now() - this.startedAt;
    ready.then(
      ({ tid }) => {
        this.#tid = tid;
        this.#ready = true;
        this.startup.readyMs = performance.now() - this.startedAt;
      },
      () => {},
    );
    ended.then((end) => this.#finish(end));
  }

  /** @param {import('./engine.js').LaunchEnd} end */
  #finish(end) {
    if (this.#finished) return;
    this.#finished = true;
    clearTimeout(this.#givingUp);
    const { code, signal, error } = end;
    const exit = { reason: this.#reasonOf(end), code, signal, error };
    this.#resolveExited(exit);
    // Not before whoever awaits start() had a chance to listen.
    if (this.#ready) setImmediate(() => this.emit('exit', exit));
  }

  #kill() {
    if (this.#finished) return;
    this.#launch?.kill();
    this.#givingUp ??= setTimeout(() => {
      const error = new PitvError(
        'PITV_WORKER_STUCK',
        `Worker "${this.name}" is stuck in the kernel or in native code and can't be ended.`,
      );
      this.#finish({ code: null, signal: null, error });
    }, GIVE_UP_MS);
  }

  /** @param {import('./engine.js').LaunchEnd} end @returns {ExitReason} */
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
   * @param {number} timeoutMs @param {AbortSignal} [signal]
   * @returns {Promise<void>}
   */
  async whenReady(timeoutMs, signal) {
    const launch = /** @type {Launch} */ (this.#launch);
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const abort = () => this.end('stopped');
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => {
        const sentence = `Worker "${this.name}" was not ready within ${timeoutMs} ms.`;
        reject(new PitvError('PITV_WORKER_TIMEOUT', sentence));
      }, timeoutMs);
    });
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
    try {
      await Promise.race([failed, gone, late]);
      if (this.#stopping || this.#forced) await gone;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {unknown} error @param {Exit} exit */
  #startFailure(error, exit) {
    if (exit.reason === 'stopped') {
      return new PitvError(
        'PITV_WORKER_STOPPED',
        `Worker "${this.name}" was stopped as it started.`,
      );
    }
    const why = error ? messageOf(error) : `ended with ${exit.signal ?? `code ${exit.code}`}`;
    return new PitvError('PITV_WORKER_FAILED', `Worker "${this.name}" did not start: ${why}`, {
      cause: error,
      details: { reason: exit.reason, code: exit.code, signal: exit.signal },
    });
  }

  /**
   * Asks the worker for a last checkpoint and to end; ends it by force when it has not after
   * graceMs. Safe to call at any time and more than once; a later call with less grace counts.
   * @param {{graceMs?: number}} [options] 0..600,000, 0: at once; 1,000 when left out
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
   * Ends it by force at once.
   * @param {ExitReason} reason @returns {Promise<Exit>}
   */
  end(reason) {
    this.#forced ??= reason;
    this.#kill();
    return this.exited;
  }

  /** @returns {Promise<import('./engine.js').WorkerStats>} */
  stats() {
    return this.#stats(this);
  }
}
