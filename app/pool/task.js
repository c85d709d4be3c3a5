/** A task from run() until its promise settles. */
import { AsyncResource } from 'node:async_hooks';
import { queueOptionsSymbol, unwrap } from './movable.js';
import { abortError, neighbourError, startError, timeoutError } from './task-errors.js';

/** Ids are positive: other values of a worker's word `running` have a meaning of their own (transport/layout.js). */
const MAX_ID = 0x7fffffff;
let lastId = 0;
/** How long a worker may take to become ready while a task with a time limit waits for it. */
const MAX_START_MS = 30_000;
/** How long a worker may take to begin a task, or to send its result, after the pool wanted to end the task. */
const GRACE_MS = 1000;

/**
 * @typedef {import('./scheduler.js').Scheduler} Scheduler
 *
 * @typedef {object} TaskParts
 * @property {any} value @property {readonly any[]} [transferList]
 * @property {string} filename @property {string} name
 * @property {any} signal @property {number} [timeoutMs] @property {number} retries
 * @property {number} asyncId of the pool
 */

/** An async resource: hooks see which task a pool runs for whom. */
export class Task extends AsyncResource {
  id = (lastId = (lastId % MAX_ID) + 1);
  created = performance.now();
  started = 0;
  settled = false;
  /** Its signal has rejected it. */
  aborted = false;
  /** The worker that has the task. @type {import('./host/pool-worker.js').PoolWorker | undefined} */
  worker;
  /**
   * Its place in the worker's ring, unless it cannot be revoked.
   * @type {import('./transport/messages.js').Place | undefined}
   */
  place;
  /** @type {NodeJS.Timeout | undefined} */
  timer;
  #resolve = (/** @type {any} */ _) => {};
  #reject = (/** @type {unknown} */ _) => {};
  #signal;
  /** @type {(() => void) | undefined} */
  #listener;

  /** @param {TaskParts} parts */
  constructor({ value, transferList, filename, name, signal, timeoutMs, retries, asyncId }) {
    super('Pool.Task', { requireManualDestroy: true, triggerAsyncId: asyncId });
    const moved = unwrap(value, transferList);
    this.value = moved.value;
    this.transfers = moved.transfers;
    this.filename = filename;
    this.name = name;
    this.#signal = signal ?? undefined;
    this.timeoutMs = timeoutMs;
    this.retries = this.transfers.length > 0 ? 0 : retries; // what it moves is gone after the first time
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Whether the task may have to be ended by force. Such a task does not share its worker. */
  get isAbortable() {
    return this.#signal !== undefined || this.timeoutMs !== undefined;
  }

  /** The id and the value, as queues of the user know them from piscina. */
  get taskId() {
    return this.id;
  }
  get task() {
    return this.value;
  }

  /** Options for a queue of the user. @returns {any} */
  get [queueOptionsSymbol]() {
    return this.value?.[queueOptionsSymbol] ?? null;
  }

  /** As a load balancer sees it. */
  get view() {
    const { id: taskId, filename, name, created, isAbortable } = this;
    const options = this[queueOptionsSymbol];
    return { taskId, filename, name, created, isAbortable, [queueOptionsSymbol]: options };
  }

  /**
   * Watches the signal.
   * @param {() => void} onAbort
   * @returns {boolean} false: it is aborted already, and the task has been rejected
   */
  watch(onAbort) {
    const signal = this.#signal;
    if (signal === undefined) return true;
    if (signal.aborted) {
      this.reject(abortError(signal.reason));
      return false;
    }
    this.#listener = () => {
      this.aborted = true;
      this.reject(abortError(signal.reason));
      onAbort();
    };
    if (signal.addEventListener) signal.addEventListener('abort', this.#listener, { once: true });
    else signal.once('abort', this.#listener);
    return true;
  }

  /**
   * Starts the timer for the time that the task may run, now that its worker begins it, or when the worker is ready. An
   * aborted task has only time to end.
   * @param {Scheduler} scheduler
   */
  startTimer(scheduler) {
    const { timeoutMs, worker } = this;
    if (!worker) return;
    clearTimeout(this.timer);
    if (!worker.ready) {
      if (timeoutMs === undefined) return;
      const fail = () => scheduler.replace(worker, () => startError(MAX_START_MS));
      this.timer = setTimeout(fail, MAX_START_MS);
    } else if (this.aborted) {
      this.timer = setTimeout(() => this.#expire(scheduler, true), GRACE_MS);
    } else if (timeoutMs !== undefined) {
      this.timer = setTimeout(() => this.#expire(scheduler, false), timeoutMs);
    }
  }

  /**
   * Ends the worker, unless it has not begun the task or has ended it.
   * @param {Scheduler} scheduler @param {boolean} last the worker has had the grace time already
   */
  #expire(scheduler, last) {
    const { timeoutMs = 0, worker } = this;
    worker?.drain(); // the event loop may have been busy since the result arrived
    if (!worker || this.worker !== worker) return;
    if (worker.stop(this) || last) {
      scheduler.replace(worker, (each) =>
        each === this ? timeoutError(timeoutMs) : neighbourError(),
      );
    } else {
      this.timer = setTimeout(() => this.#expire(scheduler, true), Math.max(timeoutMs, GRACE_MS));
    }
  }

  /** @param {any} result */
  resolve(result) {
    this.#settle(this.#resolve, result);
  }

  /** @param {unknown} error */
  reject(error) {
    this.#settle(this.#reject, error);
  }

  /** @param {(value: any) => void} settle @param {any} value */
  #settle(settle, value) {
    if (this.settled) return;
    this.settled = true;
    this.value = undefined;
    clearTimeout(this.timer);
    const signal = this.#signal;
    if (this.#listener) {
      if (signal.removeEventListener) signal.removeEventListener('abort', this.#listener);
      else signal.removeListener('abort', this.#listener);
    }
    this.runInAsyncScope(settle, null, value);
    this.emitDestroy();
  }
}
