/**
 * Distributes tasks to workers. A task goes to an idle worker at once, else to one that may run several. Else it waits in
 * the queue, and a worker is started if there may be more.
 *
 * The next task of the queue is sent ahead to a worker that is still busy, or still starts. It then need not wait for this
 * side, and can be taken back for a worker that is free earlier, or when its worker dies.
 */
import { Crew } from './crew.js';
import { Meter } from './meter.js';
import { FixedQueue, putBack } from './task-queue.js';
import { abortError, closedError, queueError, timeoutError, workerError } from './task-errors.js';

/**
 * @typedef {import('./task.js').Task} Task
 * @typedef {import('./host/pool-worker.js').PoolWorker} PoolWorker
 *
 * @typedef {object} SchedulerEvents
 * @property {(error: Error) => void} error of a worker without tasks
 * @property {(message: any) => void} message of a worker
 * @property {(worker: PoolWorker) => void} created @property {(worker: PoolWorker) => void} destroyed
 * @property {(busy: boolean) => void} capacity all workers are busy, or no longer
 */

export class Scheduler {
  #options;
  #crew;
  #events;
  meter;
  #queue;
  /** Tasks that workers have ahead. */
  #ahead = 0;
  #sendsAhead;
  #closed = false;
  /** @type {(() => void) | undefined} */
  #onIdle;

  /**
   * @param {import('./options.js').CheckedPoolOptions} options
   * @param {import('./host/kind.js').OpenKind} openKind @param {SchedulerEvents} events
   */
  constructor(options, openKind, events) {
    this.#options = options;
    this.#events = events;
    this.#queue = options.taskQueue;
    // A queue with priorities decides as late as possible which task is next.
    const plain = this.#queue instanceof FixedQueue && !options.loadBalancer;
    this.#sendsAhead = plain && options.concurrentTasksPerWorker === 1;
    this.meter = new Meter(options, events.capacity);
    this.#crew = new Crew(options, openKind, {
      ready: (worker) => this.#onReady(worker),
      done: (worker, task) => this.#onDone(worker, task),
      promote: (worker) => this.#promote(worker),
      broken: (worker, error) => this.#replace(worker, error),
      ended: (worker, end) => this.#onEnd(worker, end),
      drained: () => this.#settle(),
      message: events.message,
      created: events.created,
      destroyed: events.destroyed,
    });
    this.#crew.startMinimum();
  }

  get workers() {
    return [...this.#crew.workers];
  }
  get arena() {
    return this.#crew.arena;
  }
  /** Tasks that wait for a worker. */
  get queueSize() {
    return this.#queue.size + this.#ahead;
  }

  /** Accepts a task. @param {Task} task */
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
    this.meter.checkCapacity();
  }

  /** Gives a task to a worker that can run it now, or starts one. @param {Task} task @returns {boolean} */
  #place(task) {
    const worker = this.#crew.choose(task);
    if (worker) this.#post(worker, task, false);
    else if (this.#crew.mayGrow) this.#post(this.#crew.start(), task, false);
    else return false;
    return true;
  }

  /** @param {PoolWorker} worker @param {Task} task @param {boolean} ahead */
  #post(worker, task, ahead) {
    clearTimeout(worker.idleTimer);
    try {
      worker.post(task, ahead);
    } catch (error) {
      task.reject(error);
      this.#crew.retireIdle(worker);
      return;
    }
    this.#crew.keepAlive(true);
    if (ahead) this.#ahead++;
    else this.#begin(task);
  }

  /** Counts a task as running. @param {Task} task */
  #begin(task) {
    this.meter.begin(task);
    const { timeoutMs } = task;
    if (timeoutMs !== undefined) {
      task.timer = setTimeout(() => this.#stopTask(task, timeoutError(timeoutMs)), timeoutMs);
    }
  }

  /** Sends tasks of the queue ahead to workers that are busy. */
  #sendAhead() {
    if (!this.#sendsAhead || this.#queue.size === 0) return;
    for (const worker of this.#crew.workers) {
      if (!worker.ready || worker.ahead.length > 0 || worker.tasks.size === 0) continue;
      const task = this.#queue.shift();
      if (!task) return;
      // What is moved cannot be taken back.
      if (task.transfers.length > 0) {
        putBack(this.#queue, task);
        return;
      }
      this.#post(worker, task, true);
    }
  }

  /** Gives waiting tasks to workers that are free. */
  #dispatch() {
    while (this.#queue.size > 0) {
      const task = this.#queue.shift();
      if (!task || task.settled) continue;
      if (!this.#place(task)) {
        putBack(this.#queue, task);
        break;
      }
    }
    this.#sendAhead();
  }

  /** Reports the capacity, and lets this process end while no task runs. */
  #settle() {
    this.meter.checkCapacity();
    if (this.meter.running + this.#ahead + this.#queue.size > 0) return;
    this.#onIdle?.();
    this.#crew.keepAlive(false);
  }

  /** @param {PoolWorker} worker */
  #onReady(worker) {
    this.#dispatch();
    this.#crew.retireIdle(worker);
  }

  /** @param {PoolWorker} worker @param {Task} task */
  #onDone(worker, task) {
    this.meter.end(task);
    this.#promote(worker);
    if (this.#queue.size > 0) this.#dispatch();
    else if (this.#ahead > 0 && worker.tasks.size === 0) this.#steal(worker);
    this.#crew.retireIdle(worker);
  }

  /** Counts the task that a worker has ahead as running. @param {PoolWorker} worker */
  #promote(worker) {
    const next = worker.promote();
    if (!next) return;
    this.#ahead--;
    this.#begin(next);
  }

  /** Moves a task that another worker has ahead to a worker that is idle. @param {PoolWorker} idle */
  #steal(idle) {
    for (const worker of this.#crew.workers) {
      const [task] = worker.ahead;
      if (!task || !worker.revoke(task)) continue;
      this.#ahead--;
      this.#post(idle, task, false);
      return;
    }
  }

  /** @param {Task} task that was aborted, and has been rejected */
  #onAbort(task) {
    if (task.worker) this.#stopTask(task);
    else this.#queue.remove(task);
    this.meter.completed++;
    this.#settle();
  }

  /** Takes back a task, or ends the worker that runs it. @param {Task} task @param {Error} [error] */
  #stopTask(task, error) {
    const { worker } = task;
    if (!worker) return;
    const { ahead } = task;
    if (worker.revoke(task)) {
      if (ahead) this.#ahead--;
      else this.meter.running--;
      if (error) this.#failOrRetry(task, error);
      this.#dispatch();
      return;
    }
    this.#replace(worker, error);
  }

  /** Ends a worker and starts another one. Its tasks reject, except those that it has not begun. @param {PoolWorker} worker @param {Error} [error] */
  #replace(worker, error) {
    this.#crew.remove(worker);
    this.#takeTasks(worker, () => error ?? closedError());
    this.#crew.startMinimum();
    this.#dispatch();
    this.#settle();
  }

  /** Takes all tasks from a worker. @param {PoolWorker} worker @param {() => Error} createError */
  #takeTasks(worker, createError) {
    /** @type {Task[]} */
    const waiting = [];
    for (const task of [...worker.tasks.values(), ...worker.ahead]) {
      if (task.ahead) this.#ahead--;
      else this.meter.running--;
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
      putBack(this.#queue, task);
    }
  }

  /** @param {Task} task @param {Error} error */
  #failOrRetry(task, error) {
    if (task.retries > 0 && !this.#closed) {
      task.retries--;
      task.worker = undefined;
      putBack(this.#queue, task);
      return;
    }
    this.meter.completed++;
    task.reject(error);
  }

  /** @param {PoolWorker} worker @param {import('./host/kind.js').LaunchEnd} end */
  #onEnd(worker, end) {
    const idle = worker.tasks.size + worker.ahead.length === 0;
    this.#takeTasks(worker, () => workerError(end));
    if (worker.killed) return; // it has been replaced already
    if (idle && end.error) this.#events.error(workerError(end));
    if (worker.ready) this.#crew.startMinimum(); // one that cannot start is not started over and over
    this.#dispatch();
    this.#settle();
  }

  /** Rejects the tasks that no worker has begun. @param {() => Error} createError */
  rejectWaiting(createError) {
    for (const worker of this.#crew.workers) {
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
    if (this.meter.running + this.#ahead + this.#queue.size === 0) return;
    await new Promise((resolve) => (this.#onIdle = () => resolve(undefined)));
  }

  /** Ends all workers. */
  async destroy() {
    this.#closed = true;
    this.#crew.stop();
    this.rejectWaiting(closedError);
    for (const worker of this.workers) {
      this.#crew.remove(worker);
      this.#takeTasks(worker, closedError);
    }
    this.rejectWaiting(closedError);
    this.#settle();
    await this.#crew.close();
  }
}
