/** Limits how long tasks run. The time of a task runs from the moment at which its worker begins it. */
import { neighbourError, startError, timeoutError } from './task-errors.js';

/** How long a worker may take to become ready while a task with a time limit waits for it. */
const MAX_START_MS = 30_000;
/** How long a worker may take to begin a task, or to send its result, after the pool wanted to end the task. */
const GRACE_MS = 1000;

/** @typedef {import('./task.js').Task} Task */
/** @typedef {import('./host/pool-worker.js').PoolWorker} PoolWorker */

export class TaskTimers {
  #replace;

  /** @param {(worker: PoolWorker, createError: (task: Task) => Error) => void} replace ends a worker */
  constructor(replace) {
    this.#replace = replace;
  }

  /**
   * Starts the timer of a task that its worker begins now, or when it is ready. An aborted task has only time to end.
   * @param {Task} task
   */
  start(task) {
    const { timeoutMs, worker } = task;
    if (!worker) return;
    clearTimeout(task.timer);
    if (!worker.ready) {
      if (timeoutMs === undefined) return;
      const fail = () => this.#replace(worker, () => startError(MAX_START_MS));
      task.timer = setTimeout(fail, MAX_START_MS);
    } else if (task.aborted) {
      task.timer = setTimeout(() => this.#expire(task, true), GRACE_MS);
    } else if (timeoutMs !== undefined) {
      task.timer = setTimeout(() => this.#expire(task, false), timeoutMs);
    }
  }

  /**
   * Ends the worker of a task, unless the worker has not begun the task or has ended it.
   * @param {Task} task @param {boolean} last the worker has had the grace time already
   */
  #expire(task, last) {
    const { timeoutMs = 0, worker } = task;
    worker?.drain(); // the event loop may have been busy since the result arrived
    if (!worker || task.worker !== worker) return;
    if (worker.stop(task) || last) {
      this.#replace(worker, (each) => (each === task ? timeoutError(timeoutMs) : neighbourError()));
    } else {
      task.timer = setTimeout(() => this.#expire(task, true), Math.max(timeoutMs, GRACE_MS));
    }
  }
}
