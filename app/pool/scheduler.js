/**
 * Distributes tasks to workers. A task goes to an idle worker at once, else to one that may run several. Else it waits
 * in the backlog, and a worker is started if there may be more.
 */
import { Backlog } from './backlog.js';
import { Crew } from './crew.js';
import { Meter } from './meter.js';
import { abortError, closedError, neighbourError, queueError, workerError } from './task-errors.js';

/**
 * @typedef {import('./task.js').Task} Task
 * @typedef {import('./host/pool-worker.js').PoolWorker} PoolWorker
 * @typedef {(name: string, value?: any) => void} Notify emits an event of the pool
 */

export class Scheduler {
  #options;
  #crew;
  #notify;
  meter;
  #backlog;
  #closed = false;
  /** @type {(() => void) | undefined} */
  #onIdle;

  /**
   * @param {import('./options.js').CheckedPoolOptions} options
   * @param {import('./host/kind.js').OpenKind} openKind @param {Notify} notify
   */
  constructor(options, openKind, notify) {
    this.#options = options;
    this.#notify = notify;
    this.meter = new Meter(options, notify);
    this.#crew = new Crew(options, openKind, this, notify);
    this.#backlog = new Backlog(options, this.#crew.workers);
  }

  get workers() {
    return [...this.#crew.workers];
  }
  get arena() {
    return this.#crew.arena;
  }
  /** Tasks that wait for a worker. */
  get queueSize() {
    return this.#backlog.size;
  }

  /** Accepts a task. @param {Task} task */
  submit(task) {
    if (this.#closed) {
      task.reject(abortError(closedError()));
      return;
    }
    if (!task.watch(() => this.#onAbort(task))) return;
    if (this.#backlog.queue.size > 0 || !this.#place(task)) {
      const { maxQueue } = this.#options;
      if (this.queueSize >= maxQueue) {
        task.reject(queueError(maxQueue === 0));
        return;
      }
      this.#backlog.queue.push(task);
      this.#sendAhead();
    }
    this.meter.checkCapacity();
  }

  /** Gives a task to a worker that can run it now, or starts one. @param {Task} task @returns {boolean} */
  #place(task) {
    try {
      const worker = this.#crew.choose(task) ?? this.#crew.grow();
      if (!worker) return false;
      this.#post(worker, task, false);
    } catch (error) {
      task.reject(error); // the balancer has thrown it, or the worker could not be started
    }
    return true;
  }

  /** @param {PoolWorker} worker @param {Task} task @param {boolean} ahead */
  #post(worker, task, ahead) {
    clearTimeout(worker.idleTimer);
    try {
      worker.post(task, ahead);
    } catch (error) {
      this.#fail(task, error);
      this.#crew.retireIdle(worker);
      return;
    }
    this.#crew.keepAlive(true);
    if (!ahead) this.#begin(task);
  }

  /** Counts a task as running. @param {Task} task */
  #begin(task) {
    this.meter.begin(task);
    task.startTimer(this);
  }

  #sendAhead() {
    this.#backlog.sendAhead((worker, task) => this.#post(worker, task, true));
  }

  /** Gives waiting tasks to workers that are free. */
  dispatch() {
    for (let task = this.#backlog.shift(); task; task = this.#backlog.shift()) {
      if (this.#place(task)) continue;
      this.#backlog.putBack(task);
      break;
    }
    this.#sendAhead();
  }

  /** Reports the capacity, and lets this process end while no task runs. */
  settle() {
    this.meter.checkCapacity();
    if (this.meter.running + this.#backlog.size > 0) return;
    this.#onIdle?.();
    this.#crew.keepAlive(false);
  }

  /** @param {PoolWorker} worker */
  onReady(worker) {
    for (const task of worker.tasks.values()) task.startTimer(this);
    this.dispatch();
    this.#crew.startMinimum();
    this.#crew.retireIdle(worker);
  }

  /** @param {PoolWorker} worker @param {Task} task */
  onDone(worker, task) {
    clearTimeout(task.timer);
    this.meter.end(task);
    this.promote(worker);
    if (this.#backlog.queue.size > 0) this.dispatch();
    else if (worker.tasks.size === 0) {
      const next = this.#backlog.steal(); // a task that another worker has ahead
      if (next) this.#post(worker, next, false);
    }
    this.#crew.retireIdle(worker);
  }

  /** Counts the task that a worker has ahead as running. @param {PoolWorker} worker */
  promote(worker) {
    const next = worker.promote();
    if (next) this.#begin(next);
  }

  /** @param {Task} task that was aborted, and has been rejected */
  #onAbort(task) {
    const { worker } = task;
    const ahead = worker?.ahead === task;
    const isTakenBack = worker?.revoke(task);
    if (worker && !(ahead && isTakenBack)) this.meter.completed++; // one that has waited does not count, as in piscina
    if (!worker) this.#backlog.queue.remove(task);
    else if (isTakenBack) {
      if (ahead) this.dispatch();
      else this.onDone(worker, task);
    } else if (worker.cancel(task)) this.replace(worker, neighbourError);
    else if (!ahead) task.startTimer(this);
    this.settle();
  }

  /**
   * Ends a worker and starts another one. Its tasks reject, except those that it has not begun.
   * @param {PoolWorker} worker @param {(task: Task) => Error} createError
   */
  replace(worker, createError) {
    this.#crew.remove(worker);
    this.#takeTasks(worker, createError);
    this.#crew.startMinimum();
    this.dispatch();
    this.settle();
  }

  /**
   * Takes all tasks from a worker.
   * @param {PoolWorker} worker @param {(task: Task) => Error} createError
   * @param {boolean} [mayWait] whether those that it has not begun wait for others
   */
  #takeTasks(worker, createError, mayWait = worker.ready) {
    /** @type {Task[]} */
    const waiting = [];
    const tasks = [...worker.tasks.values()];
    this.meter.running -= tasks.length;
    if (worker.ahead) tasks.push(worker.ahead);
    for (const task of tasks) {
      const unclaimed = worker.revoke(task);
      clearTimeout(task.timer);
      if (task.settled) continue;
      // What the task moves is gone.
      if (mayWait && unclaimed && task.transfers.length === 0) waiting.push(task);
      else this.#failOrRetry(task, createError(task));
    }
    worker.tasks.clear();
    worker.ahead = undefined;
    for (const task of waiting.reverse()) {
      task.started = 0;
      this.#backlog.putBack(task);
    }
  }

  /** @param {Task} task @param {Error} error */
  #failOrRetry(task, error) {
    if (task.retries > 0) {
      task.retries--;
      task.worker = undefined;
      this.#backlog.putBack(task);
      return;
    }
    this.#fail(task, error);
  }

  /** Counts and rejects a task. @param {Task} task @param {unknown} error */
  #fail(task, error) {
    this.meter.completed++;
    task.reject(error);
  }

  /** @param {PoolWorker} worker @param {import('./host/kind.js').LaunchEnd} end */
  onEnd(worker, end) {
    const idle = worker.tasks.size === 0 && !worker.ahead;
    const mayWait = !worker.ready && this.#crew.pauseStarts(end.error);
    this.#takeTasks(worker, () => workerError(end), worker.ready || mayWait);
    if (worker.killed) return; // it has been replaced already
    if (idle && end.error && !mayWait) this.#notify('error', workerError(end));
    if (worker.ready) this.#crew.startMinimum(); // one that cannot start is not started over and over
    this.dispatch();
    this.settle();
  }

  /** Rejects the tasks that no worker has begun. @param {() => Error} createError */
  rejectWaiting(createError) {
    this.#backlog.takeAll((task) => this.#fail(task, createError()));
    this.settle();
  }

  /** Accepts no more tasks. @returns {Promise<void>} resolves when no task is left */
  async finish() {
    this.#closed = true;
    if (this.meter.running + this.#backlog.size === 0) return;
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
    await this.#crew.close();
  }
}
