/**
 * The tasks that wait for a worker. Most are in the queue. The next ones are sent ahead to workers that are still busy,
 * or still start: such a task need not wait for this side, and can be taken back for a worker that is free earlier, or
 * when its worker dies.
 */
import { FixedQueue, putBack } from './task-queue.js';

/**
 * @typedef {import('./task.js').Task} Task
 * @typedef {import('./host/pool-worker.js').PoolWorker} PoolWorker
 * @typedef {Iterable<PoolWorker>} Workers
 */

export class Backlog {
  #queue;
  #sendsAhead;
  /** Tasks that workers have ahead. */
  #ahead = 0;

  /** @param {import('./options.js').CheckedPoolOptions} options */
  constructor({ taskQueue, loadBalancer, concurrentTasksPerWorker }) {
    this.#queue = taskQueue;
    // A queue with priorities decides as late as possible which task is next.
    const plain = taskQueue instanceof FixedQueue && !loadBalancer;
    this.#sendsAhead = plain && concurrentTasksPerWorker === 1;
  }

  /** Tasks that wait. */
  get size() {
    return this.#queue.size + this.#ahead;
  }
  /** Those in the queue. */
  get queued() {
    return this.#queue.size;
  }

  /** @param {Task} task */
  push(task) {
    this.#queue.push(task);
  }

  /** Puts a task back in front. @param {Task} task */
  putBack(task) {
    putBack(this.#queue, task);
  }

  /** @param {Task} task in the queue */
  remove(task) {
    this.#queue.remove(task);
  }

  /** Takes the next task of the queue. @returns {Task | undefined} */
  shift() {
    let task;
    do task = this.#queue.size > 0 ? this.#queue.shift() : undefined;
    while (task?.settled);
    return task ?? undefined;
  }

  /**
   * Sends tasks of the queue ahead to busy workers.
   * @param {Workers} workers @param {(worker: PoolWorker, task: Task) => boolean} post returns whether it was sent
   */
  sendAhead(workers, post) {
    if (!this.#sendsAhead || this.#queue.size === 0) return;
    for (const worker of workers) {
      if (!worker.ready || worker.ahead.length > 0 || worker.tasks.size === 0) continue;
      const task = this.shift();
      if (!task) return;
      // What is moved cannot be taken back.
      if (task.transfers.length > 0) {
        this.putBack(task);
        return;
      }
      if (post(worker, task)) this.#ahead++;
    }
  }

  /**
   * Takes the task that a worker has ahead, because the worker runs it.
   * @param {PoolWorker} worker @returns {Task | undefined}
   */
  promote(worker) {
    const task = worker.promote();
    if (task) this.#ahead--;
    return task;
  }

  /** Takes back a task that a worker has ahead. @param {Workers} workers @returns {Task | undefined} */
  steal(workers) {
    if (this.#ahead === 0) return undefined;
    for (const worker of workers) {
      const [task] = worker.ahead;
      if (task && this.revoke(worker, task)) return task;
    }
    return undefined;
  }

  /**
   * Takes back a task from a worker.
   * @param {PoolWorker} worker @param {Task} task
   * @returns {boolean} false: the worker has begun it
   */
  revoke(worker, task) {
    const { ahead } = task;
    if (!worker.revoke(task)) return false;
    if (ahead) this.#ahead--;
    return true;
  }

  /** Gives up a task that a dead worker had ahead. */
  forgetAhead() {
    this.#ahead--;
  }

  /** Takes the tasks that no worker has begun. @param {Workers} workers @param {(task: Task) => void} use */
  takeAll(workers, use) {
    for (let task = this.steal(workers); task; task = this.steal(workers)) use(task);
    for (let task = this.shift(); task; task = this.shift()) use(task);
  }
}
