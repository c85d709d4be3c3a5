/**
 * Runs tasks in a worker: takes requests from shared memory, calls their functions and sends the results. It is the
 * same in threads, processes and forks.
 *
 * While no task runs, the worker blocks, and its event loop stands still. So a module should not leave work behind when
 * its task ends. The option `atomics: 'async'` of the pool keeps the event loop running instead.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import os from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { unwrap } from '../movable.js';
import { clones, loadedClones, useClones } from '../transport/codec.js';
import { CONTROL, KIND, NO_TASK, RUNNING, WAITING, ringsOf } from '../transport/layout.js';
import { trimFreedBlocks } from '../transport/views.js';
import { Receiver, Sender } from '../transport/messages.js';
import { loadHandler } from './handlers.js';

/** After this number of tasks without a pause the event loop gets a turn, for example for finalizers and messages. */
const TASKS_PER_TURN = 64;

/**
 * @typedef {object} Start what a worker needs to know
 * @property {number} ringBytes
 * @property {string | null} filename of the pool's function, which is loaded before the first task
 * @property {string} name
 * @property {number} concurrency
 * @property {boolean} blocks whether the worker blocks while no task runs
 * @property {number} niceIncrement
 * @property {any} workerData
 *
 * @typedef {object} Waits how a worker waits and wakes the pool
 * @property {(control: Int32Array, index: number, value: number) => void} block blocks while a word has a value
 * @property {() => void} wakePool
 * @property {(callback: () => void) => void} onWake calls back when the pool wakes this worker's event loop
 * @property {() => Promise<void> | undefined} [flush] waits until output has been written
 *
 * @typedef {import('../transport/codec.js').Blocks} Blocks
 */

/** Loads what objects and errors need. */
export const loadClones = async () => useClones(await import('../clones.js'));

/** A scope in which nothing is stored. */
const clean = new AsyncResource('pitv:task');
/** Whether anything has been stored in the scope of a task: later tasks that ran in it would have it, too. */
let isStored = false;
for (const name of ['enterWith', 'withScope']) {
  const prototype = /** @type {any} */ (AsyncLocalStorage.prototype);
  const original = prototype[name];
  if (!original) continue; // of later Node.js
  prototype[name] = /** @this {any} */ function (/** @type {any[]} */ ...args) {
    isStored = true;
    return original.apply(this, args);
  };
}

/**
 * Calls a function in an async scope of its own, once that makes a difference: it takes as long as a small task.
 * @param {import('./handlers.js').Handler} handle @param {any} task @returns {any}
 */
function callInScope(handle, task) {
  if (!isStored) return handle(task);
  const scope = clean.runInAsyncScope(() => new AsyncResource('pitv:task'));
  return scope.runInAsyncScope(handle, undefined, task);
}

/** Ignores that a module does not export the pool's function: tasks may name others. @param {any} error */
function ignoreMissingExport(error) {
  if (error?.code !== 'PITV_TASK_HANDLER') throw error;
}

export class TaskServer {
  #start;
  #waits;
  #requests;
  #responses;
  #control;
  /** @type {(import('./handlers.js').Handler | Promise<import('./handlers.js').Handler>)[]} */
  #handlers = [];
  /** @type {Map<string, Promise<import('./handlers.js').Handler>>} by file and name */
  #loaded = new Map();
  #running = 0;
  /** The pool ends this worker because of the task that it runs. */
  #stopped = false;
  /** Resolves the promise that serve() awaits. */
  #resume = () => {};

  /**
   * @param {import('../transport/layout.js').View} view of the shared memory
   * @param {Start} start @param {Waits} waits
   * @param {{blocks?: Blocks, port?: import('node:worker_threads').MessagePort, control?: SharedArrayBuffer}} [more]
   *   port: carries what shared memory cannot; threads only
   */
  constructor(view, start, waits, { blocks, port, control } = {}) {
    const { requests, responses } = ringsOf(view, start.ringBytes, control);
    this.#start = start;
    this.#waits = waits;
    this.#control = requests.control;
    const { wakePool } = waits;
    this.#requests = new Receiver(requests, wakePool, blocks, port);
    this.#responses = new Sender(responses, wakePool, blocks, port, () =>
      waits.block(responses.control, CONTROL.writer, WAITING.blocked),
    );
  }

  /** Runs tasks until the process or the thread ends. */
  async serve() {
    const { filename, name, concurrency, blocks, niceIncrement } = this.#start;
    // On Linux, 0 is the calling thread (setpriority(2)).
    if (niceIncrement > 0) os.setPriority(Math.min(19, os.getPriority() + niceIncrement));
    this.#waits.onWake(() => this.#resume());
    if (filename !== null) await this.#load(filename, name).catch(ignoreMissingExport);
    this.#responses.send(KIND.ready, 0, 0);
    for (let tasks = 1; !this.#stopped; tasks++) {
      if (this.#running < concurrency && this.#requests.next()) {
        if (this.#requests.lacksClones) await loadClones();
        this.#take();
        if (tasks % TASKS_PER_TURN === 0) await turn();
      } else if (this.#running > 0 || !blocks) {
        await this.#pause(this.#running < concurrency);
      } else {
        await this.#waits.flush?.(); // also runs microtasks that the last task has left
        if (this.#running === 0) await this.#block();
      }
    }
    await new Promise(() => {});
  }

  /** Waits on the event loop until a task ends or, if wanted, until there is a request. @param {boolean} accepts */
  async #pause(accepts) {
    await /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        this.#resume = resolve;
        if (accepts && !this.#requests.awaitRecord(WAITING.eventLoop)) resolve();
      })
    );
  }

  /** Blocks until there is a request. After a signal, the event loop gets a turn. */
  #block() {
    if (!this.#requests.awaitRecord(WAITING.blocked)) return undefined;
    this.#waits.block(this.#control, CONTROL.reader, WAITING.blocked);
    const woken = Atomics.load(this.#control, CONTROL.reader) !== WAITING.blocked;
    return woken ? undefined : turn();
  }

  /** Takes the current request. */
  #take() {
    const { kind, id, handler } = this.#requests;
    if (kind === KIND.handler) {
      const { filename, name } = JSON.parse(Buffer.from(this.#requests.decode()).toString());
      this.#requests.free();
      const loading = this.#load(filename, name);
      this.#handlers[handler] = loading;
      loading.then((loaded) => (this.#handlers[handler] = loaded)).catch(() => {}); // each task gets the error
      return;
    }
    const claimed = kind === KIND.task && this.#requests.claim();
    if (!claimed || !this.#begin(id)) {
      if (kind === KIND.trim) trimFreedBlocks();
      if (claimed) this.#requests.takeParts();
      this.#requests.free();
      if (claimed) this.#succeed(id, undefined); // the pool waits for its end
      return;
    }
    const handle = this.#handlers[handler];
    let task;
    try {
      task = this.#requests.decode();
    } catch (error) {
      this.#requests.free();
      this.#fail(id, error);
      return;
    }
    this.#requests.free();
    this.#run(id, handle, task);
  }

  /** Announces that this worker runs a task. @param {number} id @returns {boolean} false: the pool has cancelled it */
  #begin(id) {
    Atomics.store(this.#control, CONTROL.running, id);
    return Atomics.load(this.#control, CONTROL.cancelled) !== id;
  }

  /**
   * Announces that this worker runs a task no longer.
   * @param {number} id @returns {boolean} false: the pool ends this worker
   */
  #end(id) {
    const was = Atomics.compareExchange(this.#control, CONTROL.running, id, RUNNING.none);
    if (was === RUNNING.stopped) this.#stopped = true;
    return !this.#stopped;
  }

  /**
   * @param {number} id @param {import('./handlers.js').Handler | Promise<import('./handlers.js').Handler>} handle
   * @param {any} task
   */
  #run(id, handle, task) {
    if (typeof handle !== 'function') {
      this.#settle(id, handle, (loaded) => callInScope(loaded, task));
      return;
    }
    let result;
    let isPromise;
    try {
      result = callInScope(handle, task);
      isPromise = typeof result?.then === 'function';
    } catch (error) {
      this.#fail(id, error);
      return;
    }
    if (isPromise) this.#settle(id, result);
    else this.#succeed(id, result);
  }

  /**
   * Waits for a task without blocking the event loop.
   * @param {number} id @param {PromiseLike<any>} before @param {(value: any) => any} [then] takes its value
   */
  async #settle(id, before, then) {
    this.#running++;
    try {
      this.#succeed(id, await (then ? before.then(then) : before));
    } catch (error) {
      this.#fail(id, error);
    }
    this.#running--;
    this.#resume();
  }

  /** @param {number} id @param {any} result */
  #succeed(id, result) {
    const flushing = this.#waits.flush?.();
    if (flushing) {
      this.#settle(id, flushing, () => result);
      return;
    }
    if (!this.#end(id)) return;
    try {
      this.#send(KIND.result, id, result);
    } catch (error) {
      if (clones) this.#sendError(id, error);
      else this.#settle(id, loadClones(), () => result); // which it may need
    }
  }

  /** @param {number} id @param {unknown} error */
  #fail(id, error) {
    const waiting = this.#waits.flush?.() ?? (clones ? undefined : loadClones());
    if (waiting) this.#settle(id, waiting, () => Promise.reject(error));
    else if (this.#end(id)) this.#sendError(id, error);
  }

  /** @param {number} id @param {unknown} error */
  #sendError(id, error) {
    const { describeThrown, isError } = loadedClones();
    try {
      if (isError(error)) this.#send(KIND.failure, id, describeThrown(error));
      else this.#send(KIND.thrown, id, error);
    } catch (cause) {
      // The thrown value cannot be cloned, or throws when it is looked at.
      const reason = Object(cause ?? new Error(`${cause} was thrown.`));
      this.#send(KIND.failure, id, describeThrown(reason));
    }
  }

  /** @param {number} kind @param {number} id @param {any} result @throws {unknown} when it cannot be cloned */
  #send(kind, id, result) {
    const { value, transfers } = unwrap(result);
    this.#responses.send(kind, id, 0, value, transfers);
  }

  /** Tells the pool which error ends this worker. @param {unknown} error */
  async reportEnd(error) {
    if (!clones) await loadClones();
    this.#sendError(NO_TASK, error);
  }

  /** @param {string} filename @param {string} name */
  #load(filename, name) {
    const key = `${name} ${filename}`;
    const loading = this.#loaded.get(key) ?? loadHandler(filename, name);
    this.#loaded.set(key, loading);
    return loading;
  }
}
