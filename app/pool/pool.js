/** The public interface of a pool. It is that of piscina; docs/runtime.md lists the differences. */
import { EventEmitterAsyncResource } from 'node:events';
import { checkValue, integer } from '../options.js';
import { readVersion } from '../version.js';
import { open as openProcess } from './kinds/process.js';
import { open as openThread } from './kinds/thread.js';
import { open as openZygote } from './kinds/zygote.js';
import { move, queueOptionsSymbol, transferableSymbol, valueSymbol } from './movable.js';
import { checkCloseOptions, checkPoolOptions, checkRunOptions, pathOf } from './options.js';
import { Scheduler } from './scheduler.js';
import { Task } from './task.js';
import { ArrayTaskQueue, FixedQueue } from './task-queue.js';
import { PitvError } from '../errors.js';
import { abortError, closedError, filenameError, retryError } from './task-errors.js';
import { workerState } from './worker/state.js';

const KINDS = { thread: openThread, process: openProcess, zygote: openZygote };
const MAX_ALLOCATION = 1 << 29;

/**
 * Runs tasks in workers.
 *
 * Emits
 * - 'drain' when a worker is free again after 'needsDrain', and 'needsDrain' while all workers are busy;
 * - 'message' (value) that a worker's module has sent by parentPort.postMessage();
 * - 'error' (error) when a worker without tasks fails, or close() takes too long;
 * - 'workerCreate' and 'workerDestroy' (worker), and 'close'.
 *
 * @template [Input=any] of tasks
 * @template [Output=any] of results
 */
export class Pool extends EventEmitterAsyncResource {
  #options;
  #scheduler;
  #createdAt = performance.now();
  /** @type {Promise<void> | undefined} */
  #closing;

  /**
   * Creates a pool and starts its first workers.
   * @param {import('./types.js').PoolOptions} [options]
   * @throws {PitvError} PITV_OPTION_INVALID; PITV_ENGINE_UNSUPPORTED: the engine does not work here;
   *   PITV_LOCK_UNSUPPORTED
   */
  constructor(options = {}) {
    const checked = checkPoolOptions(options);
    super({ name: 'Pool' });
    this.#options = checked;
    this.#scheduler = new Scheduler(checked, KINDS[checked.engine], this.#notify);
  }

  /**
   * Emits an event. What its listeners throw is an uncaught exception, and the pool goes on.
   * @type {import('./scheduler.js').Notify}
   */
  #notify = (name, value) => {
    try {
      this.emit(name, value);
    } catch (error) {
      process.nextTick(() => {
        throw error;
      });
    }
  };

  /**
   * Runs a task.
   * @param {Input} task structured-clonable
   * @param {import('./types.js').RunOptions} [given]
   * @returns {Promise<Output>} the result of the module's function. Rejects with what it throws, and with
   *   PITV_TASK_ABORTED, PITV_TASK_TIMEOUT, PITV_TASK_MEMORY, PITV_TASK_CRASHED, PITV_TASK_EXITED, PITV_TASK_HANDLER,
   *   PITV_POOL_FULL, PITV_POOL_CLOSED, PITV_POOL_TOO_LARGE, PITV_OPTION_INVALID
   */
  run(task, given) {
    const pool = this.#options;
    let options;
    try {
      options = checkRunOptions(given);
    } catch (error) {
      return Promise.reject(error);
    }
    const filename = pathOf(options.filename) ?? pool.filename;
    if (filename === null) return Promise.reject(filenameError());
    const submitted = new Task({
      value: task,
      transferList: options.transferList,
      filename,
      name: options.name ?? pool.name,
      signal: options.signal,
      timeoutMs: options.taskTimeoutMs ?? pool.taskTimeoutMs,
      retries: options.retries ?? pool.retries,
      asyncId: this.asyncId,
    });
    if (options.retries && submitted.transfers.length > 0) return Promise.reject(retryError());
    this.#scheduler.submit(submitted);
    return submitted.promise;
  }

  /**
   * Allocates zeroed memory that the workers share. Views of it are neither copied nor moved when they are a task, a
   * result or a part of one: both sides read and write the same bytes. A worker must not use it after its task has
   * ended. Without shared memory (locked workers, threads without the addon) it is ordinary memory.
   * @param {number} bytes 1..2^29
   * @returns {Uint8Array}
   * @throws {PitvError} PITV_POOL_MEMORY_FULL; PITV_OPTION_INVALID
   */
  allocate(bytes) {
    checkValue('allocate()', 'bytes', integer(1, MAX_ALLOCATION), bytes);
    const { arena } = this.#scheduler;
    return arena ? new Uint8Array(arena.allocate(bytes)) : new Uint8Array(bytes);
  }

  /**
   * Waits for all tasks and ends the workers.
   * @param {{force?: boolean}} [options] force: tasks that no worker has begun are rejected
   */
  async close(options = {}) {
    const { force } = checkCloseOptions(options);
    this.#closing ??= this.#close();
    if (force) this.#scheduler.rejectWaiting(() => abortError(closedError()));
    await this.#closing;
  }

  async #close() {
    const finished = this.#scheduler.finish();
    const { closeTimeout } = this.#options;
    let timer;
    const late = new Promise((resolve) => {
      if (closeTimeout !== Infinity) timer = setTimeout(resolve, closeTimeout, true).unref();
    });
    const isLate = await Promise.race([finished.then(() => false), late]);
    clearTimeout(timer);
    await this.#scheduler.destroy();
    if (isLate) {
      const sentence = `Close operation timed out: tasks ran longer than ${closeTimeout} ms.`;
      this.#notify('error', new PitvError('PITV_POOL_TIMEOUT', sentence));
    }
    this.emit('close');
  }

  /** Ends all workers at once. Tasks reject. */
  async destroy() {
    await this.#scheduler.destroy();
  }

  [Symbol.dispose]() {
    this.close();
  }
  [Symbol.asyncDispose]() {
    return this.close();
  }

  get maxThreads() {
    return this.#options.maxThreads;
  }
  get minThreads() {
    return this.#options.minThreads;
  }
  /** With defaults. @returns {import('./types.js').CheckedPoolOptions} */
  get options() {
    return this.#options;
  }
  /** The threads (Worker), child processes or forks. @returns {import('./types.js').PoolThread[]} */
  get threads() {
    return /** @type {any[]} */ (this.#scheduler.workers.map((worker) => worker.handle));
  }
  get idleThreads() {
    return this.#scheduler.workers.filter((worker) => worker.usage === 0).length;
  }
  get queueSize() {
    return this.#scheduler.queueSize;
  }
  get completed() {
    return this.#scheduler.meter.completed;
  }
  get histogram() {
    return this.#scheduler.meter.histogram;
  }
  get runTime() {
    return this.histogram.runTime;
  }
  get waitTime() {
    return this.histogram.waitTime;
  }
  /** Time since the pool was created, ms. */
  get duration() {
    return performance.now() - this.#createdAt;
  }
  /** The share of the capacity that tasks have used so far, 0..1. */
  get utilization() {
    return this.#scheduler.meter.totalRunMs / (this.duration * this.maxThreads);
  }
  get needsDrain() {
    return this.#scheduler.meter.needsDrain;
  }

  /** Whether this code runs in a worker of a pool. */
  static get isWorkerThread() {
    return workerState.isWorkerThread;
  }
  static get workerData() {
    return workerState.workerData;
  }
  static get version() {
    return readVersion();
  }
  static get Pool() {
    return Pool;
  }
  static get Piscina() {
    return Pool;
  }
  /** @readonly */ static FixedQueue = FixedQueue;
  /** @readonly */ static ArrayTaskQueue = ArrayTaskQueue;
  /** @readonly */ static move = move;
  /** @readonly */ static transferableSymbol = transferableSymbol;
  /** @readonly */ static valueSymbol = valueSymbol;
  /** @readonly */ static queueOptionsSymbol = queueOptionsSymbol;
}
