/**
 * Distributes tasks to workers. A task goes to an idle worker at once, else to one that may run several. Else it waits in
 * the queue, and a worker is started if there may be more.
 *
 * The next task of the queue is sent ahead to a worker that is still busy, or still starts. It then need not wait for this
 * side, and can be taken back for a worker that is free earlier, or when its worker dies.
 */
import { PoolHistogram } from './histogram.js';
import { PoolWorker } from './host/pool-worker.js';
import { FixedQueue } from './task-queue.js';
import { abortError, closedError, queueError, timeoutError, workerError } from './task-errors.js';
import { workerOf } from './worker-view.js';

/** @typedef {import('./options.js').CheckedPoolOptions} PoolOptions */
/** @typedef {import('./task.js').Task} Task */

/**
 * @typedef {object} SchedulerEvents
 * @property {(error: Error) => void} error of a worker without tasks
 * @property {(message: any) => void} message of a worker
 * @property {(worker: PoolWorker) => void} created @property {(worker: PoolWorker) => void} destroyed
 * @property {(busy: boolean) => void} capacity all workers are busy, or no longer
 */

export class Scheduler {
  #options;
  #kind;
  #events;
  #queue;
  /** @type {Set<PoolWorker>} */
  #workers = new Set();
  /** Ends of all workers, also of those that are not used any more. @type {Set<Promise<void>>} */
  #ends = new Set();
  /** Tasks that workers run. */
  #running = 0;
  /** Tasks that workers have ahead. */
  #ahead = 0;
  #sendsAhead;
  #closed = false;
  #referenced = false;
  #draining = false;
  /** @type {(() => void) | undefined} */
  #onIdle;
  completed = 0;
  needsDrain = false;
  /** @type {PoolHistogram | undefined} */
  histogram;

  /**
   * @param {PoolOptions} options
   * @param {import('./host/kind.js').OpenKind} openKind
   * @param {SchedulerEvents} events
   */
  constructor(options, openKind, events) {
    this.#options = options;
    this.#events = events;
    this.#queue = options.taskQueue;
    // A queue with priorities decides as late as possible which task is next.
    const plain = this.#queue instanceof FixedQueue && !options.loadBalancer;
    this.#sendsAhead = plain && options.concurrentTasksPerWorker === 1;
    if (options.recordTiming) this.histogram = new PoolHistogram();
    this.#kind = openKind(options, () => this.#drain());
    this.#startMinimum();
  }

  get workers() {
    return [...this.#workers];
  }
  get arena() {
    return this.#kind.arena;
  }
  /** Tasks that wait for a worker. */
  get queueSize() {
    return this.#queue.size + this.#ahead;
  }

  #startMinimum() {
    while (!this.#closed && this.#workers.size < this.#options.minThreads) this.#start();
  }

  /** @returns {PoolWorker} a worker that starts */
  #start() {
    const { filename, name, concurrentTasksPerWorker, atomics, niceIncrement, workerData } =
      this.#options;
    const start = {
      ringBytes: 0, // the kind knows
      filename,
      name,
      concurrency: concurrentTasksPerWorker,
      blocks: atomics === 'sync',
      niceIncrement,
      workerData,
    };
    const launch = this.#kind.launch({ start, onMessage: this.#events.message });
    const events = {
      ready: (/** @type {PoolWorker} */ each) => this.#onReady(each),
      done: (/** @type {PoolWorker} */ each, /** @type {Task} */ task) => this.#onDone(each, task),
      promote: (/** @type {PoolWorker} */ each) => this.#promote(each),
      broken: (/** @type {PoolWorker} */ each, /** @type {Error} */ error) =>
        this.#replace(each, error),
    };
    const worker = new PoolWorker(launch, this.arena, events, this.#options.workerHistogram);
    this.#workers.add(worker);
    worker.arm();
    const end = worker.ended
      .then((about) => this.#onEnd(worker, about))
      .finally(() => this.#ends.delete(end));
    this.#ends.add(end);
    queueMicrotask(() => this.#events.created(worker));
    return worker;
  }

  /**
   * Accepts a task.
   * @param {Task} task
   */
  submit(task) {
    if (this.#closed) {
      task.reject(abortError(closedError()));
      return;
    }
    if (!task.watch(() => this.#onAbort(task))) return;
    if (this.#queue.size > 0 || !this.#place(task)) {
      const { maxQueue } = this.#options;
      if (this.queueSize >= maxQueue) {
        task.reject(queueError(maxQueue === 0));
        return;
      }
      this.#queue.push(task);
      this.#sendAhead();
    }
    this.#checkCapacity();
  }

  /** Gives a task to a worker that can run it now, or starts one. @param {Task} task @returns {boolean} */
  #place(task) {
    const worker = this.#options.loadBalancer ? this.#balance(task) : this.#choose(task);
    if (worker) this.#post(worker, task, false);
    else if (this.#workers.size < this.#options.maxThreads) this.#post(this.#start(), task, false);
    else return false;
    return true;
  }

  /** @param {Task} task @returns {PoolWorker | undefined} an idle worker, or the least busy one that may share */
  #choose(task) {
    const shares = this.#options.concurrentTasksPerWorker > 1 && !task.isAbortable;
    let chosen;
    let least = shares ? this.#options.concurrentTasksPerWorker : 1;
    let starting;
    for (const worker of this.#workers) {
      const { usage } = worker;
      if (!worker.ready) {
        if (usage === 0) starting = worker;
      } else if (usage < least) {
        chosen = worker;
        least = usage;
        if (usage === 0) break;
      }
    }
    return chosen ?? starting;
  }

  /** @param {Task} task @returns {PoolWorker | undefined} */
  #balance(task) {
    const views = this.workers.map((worker) => worker.view);
    const worker = workerOf(this.#options.loadBalancer?.(task.view, views));
    return worker && this.#workers.has(worker) ? worker : undefined;
  }

  /** @param {PoolWorker} worker @param {Task} task @param {boolean} ahead */
  #post(worker, task, ahead) {
    clearTimeout(worker.idleTimer);
    try {
      worker.post(task, ahead);
    } catch (error) {
      task.reject(error);
      this.#armIdle(worker);
      return;
    }
    if (!this.#referenced) {
      this.#referenced = true;
      this.#kind.ref();
    }
    if (ahead) this.#ahead++;
    else this.#begin(task);
  }

  /** Counts a task as running. @param {Task} task */
  #begin(task) {
    this.#running++;
    const { timeoutMs } = task;
    if (this.histogram || this.#options.workerHistogram) {
      task.started = performance.now();
      this.histogram?.recordWait(task.started - task.created);
    }
    if (timeoutMs !== undefined) {
      task.timer = setTimeout(() => this.#stopTask(task, timeoutError(timeoutMs)), timeoutMs);
    }
  }

  /** Sends tasks of the queue ahead to workers that are busy. */
  #sendAhead() {
    if (!this.#sendsAhead || this.#queue.size === 0) return;
    for (const worker of this.#workers) {
      if (!worker.ready || worker.ahead.length > 0 || worker.tasks.size === 0) continue;
      const task = this.#queue.shift();
      if (!task) return;
      // What is moved cannot be taken back.
      if (task.transfers.length > 0) {
        this.#putBack(task);
        return;
      }
      this.#post(worker, task, true);
    }
  }

  /** @param {Task} task */
  #putBack(task) {
    if (this.#queue.unshift) this.#queue.unshift(task);
    else this.#queue.push(task);
  }

  /** Gives waiting tasks to workers that are free. */
  #dispatch() {
    while (this.#queue.size > 0) {
      const task = this.#queue.shift();
      if (!task || task.settled) continue;
      if (!this.#place(task)) {
        this.#putBack(task);
        break;
      }
    }
    this.#sendAhead();
  }

  /** Receives from all workers until each of them will wake this side for more. */
  #drain() {
    if (this.#draining) return;
    this.#draining = true;
    let armed;
    do {
      armed = true;
      for (const worker of this.#workers) {
        worker.drain();
        if (!worker.arm()) armed = false;
      }
    } while (!armed);
    this.#draining = false;
    this.#checkCapacity();
    this.#release();
  }

  /** Lets this process end while no task runs. */
  #release() {
    if (this.#running + this.#ahead + this.#queue.size > 0) return;
    this.#onIdle?.();
    if (!this.#referenced) return;
    this.#referenced = false;
    this.#kind.unref();
  }

  /** @param {PoolWorker} worker */
  #onReady(worker) {
    this.#dispatch();
    this.#armIdle(worker);
  }

  /** @param {PoolWorker} worker @param {Task} task */
  #onDone(worker, task) {
    this.#count(task);
    this.#promote(worker);
    if (this.#queue.size > 0) this.#dispatch();
    else if (this.#ahead > 0 && worker.tasks.size === 0) this.#steal(worker);
    this.#armIdle(worker);
  }

  /** Counts the task that a worker has ahead as running. @param {PoolWorker} worker */
  #promote(worker) {
    const next = worker.promote();
    if (!next) return;
    this.#ahead--;
    this.#begin(next);
  }

  /** @param {Task} task that ran and has settled */
  #count(task) {
    this.#running--;
    this.completed++;
    if (this.histogram && task.started > 0)
      this.histogram.recordRun(performance.now() - task.started);
  }

  /** Moves a task that another worker has ahead to a worker that is idle. @param {PoolWorker} idle */
  #steal(idle) {
    for (const worker of this.#workers) {
      const [task] = worker.ahead;
      if (!task || !worker.revoke(task)) continue;
      this.#ahead--;
      this.#post(idle, task, false);
      return;
    }
  }

  /** Ends a worker that stays idle. @param {PoolWorker} worker */
  #armIdle(worker) {
    if (worker.tasks.size > 0) return;
    worker.trimLater();
    const { idleTimeout, minThreads } = this.#options;
    if (idleTimeout === Infinity || this.#workers.size <= minThreads || !worker.ready) return;
    clearTimeout(worker.idleTimer);
    worker.idleTimer = setTimeout(() => {
      if (worker.tasks.size > 0 || this.#workers.size <= minThreads) return;
      this.#remove(worker);
    }, idleTimeout).unref();
  }

  /** @param {Task} task that was aborted, and has been rejected */
  #onAbort(task) {
    if (task.worker) this.#stopTask(task);
    else this.#queue.remove(task);
    this.completed++;
    this.#checkCapacity();
    this.#release();
  }

  /** Takes back a task, or ends the worker that runs it. @param {Task} task @param {Error} [error] */
  #stopTask(task, error) {
    const { worker } = task;
    if (!worker) return;
    const { ahead } = task;
    if (worker.revoke(task)) {
      if (ahead) this.#ahead--;
      else this.#running--;
      if (error) this.#failOrRetry(task, error);
      this.#dispatch();
      return;
    }
    this.#replace(worker, error);
  }

  /** Ends a worker and starts another one. Its tasks reject, except those that it has not begun. @param {PoolWorker} worker @param {Error} [error] */
  #replace(worker, error) {
    this.#remove(worker);
    this.#takeTasks(worker, () => error ?? closedError());
    this.#startMinimum();
    this.#dispatch();
    this.#release();
  }

  /** Takes all tasks from a worker. @param {PoolWorker} worker @param {() => Error} createError */
  #takeTasks(worker, createError) {
    /** @type {Task[]} */
    const waiting = [];
    for (const task of [...worker.tasks.values(), ...worker.ahead]) {
      if (task.ahead) this.#ahead--;
      else this.#running--;
      const unclaimed = worker.revoke(task);
      clearTimeout(task.timer);
      if (task.settled) continue;
      if (unclaimed && (worker.ready || this.#closed)) waiting.push(task);
      else this.#failOrRetry(task, createError());
    }
    worker.tasks.clear();
    worker.ahead = [];
    for (const task of waiting.reverse()) {
      task.started = 0;
      this.#putBack(task);
    }
  }

  /** @param {Task} task @param {Error} error */
  #failOrRetry(task, error) {
    if (task.retries > 0 && !this.#closed) {
      task.retries--;
      task.worker = undefined;
      this.#putBack(task);
      return;
    }
    this.completed++;
    task.reject(error);
  }

  /** @param {PoolWorker} worker */
  #remove(worker) {
    if (!this.#workers.delete(worker)) return;
    worker.kill();
    this.#events.destroyed(worker);
  }

  /** @param {PoolWorker} worker @param {import('./host/kind.js').LaunchEnd} end */
  #onEnd(worker, end) {
    const expected = worker.ending;
    worker.drain(); // what it has sent before it died
    const idle = worker.tasks.size + worker.ahead.length === 0;
    this.#takeTasks(worker, () => workerError(end));
    worker.free();
    if (expected) return;
    worker.ending = true;
    this.#workers.delete(worker);
    this.#events.destroyed(worker);
    if (idle && end.error) this.#events.error(workerError(end));
    if (worker.ready) this.#startMinimum(); // one that cannot start is not started over and over
    this.#dispatch();
    this.#checkCapacity();
    this.#release();
  }

  #checkCapacity() {
    const { maxThreads, concurrentTasksPerWorker } = this.#options;
    const busy = this.#running >= Math.floor(maxThreads) * concurrentTasksPerWorker;
    if (busy) this.needsDrain = true;
    else if (!this.needsDrain) return;
    else this.needsDrain = false;
    this.#events.capacity(busy);
  }

  /** Rejects the tasks that no worker has begun. @param {() => Error} createError */
  rejectWaiting(createError) {
    for (const worker of this.#workers) {
      for (const task of [...worker.ahead]) {
        if (!worker.revoke(task)) continue;
        this.#ahead--;
        task.reject(createError());
      }
    }
    while (this.#queue.size > 0) this.#queue.shift()?.reject(createError());
  }

  /** Accepts no more tasks. @returns {Promise<void>} resolves when no task is left */
  async finish() {
    this.#closed = true;
    if (this.#running + this.#ahead + this.#queue.size === 0) return;
    await new Promise((resolve) => (this.#onIdle = () => resolve(undefined)));
  }

  /** Ends all workers. */
  async destroy() {
    this.#closed = true;
    this.rejectWaiting(closedError);
    for (const worker of [...this.#workers]) {
      this.#remove(worker);
      this.#takeTasks(worker, closedError);
    }
    this.rejectWaiting(closedError);
    this.#release();
    this.#kind.ref(); // until the workers have ended
    await Promise.all(this.#ends);
    this.#kind.unref();
    await this.#kind.close();
  }
}
