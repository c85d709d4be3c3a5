/**
 * The tasks that wait for a worker. Most are in the queue. The next ones are sent ahead to workers that are still busy,
 * or still start: such a task need not wait for this side, and can be taken back for a worker that is free earlier, or
 * when its worker dies.
 */
import { FixedQueue } from './task-queue.js';

/**
 * @typedef {import('./task.js').Task} Task
 * @typedef {import('./host/pool-worker.js').PoolWorker} PoolWorker
 */

export class Backlog {
  queue;
  #workers;
  #sendsAhead;

  /** @param {import('./options.js').CheckedPoolOptions} options @param {ReadonlySet<PoolWorker>} workers of the pool */
  constructor({ taskQueue, loadBalancer, concurrentTasksPerWorker }, workers) {
    this.queue = taskQueue;
    this.#workers = workers;
    // A queue with priorities decides as late as possible which task is next.
    const plain = taskQueue instanceof FixedQueue && !loadBalancer;
    this.#sendsAhead = plain && concurrentTasksPerWorker === 1;
  }

  /** Tasks that wait. */
  get size() {
    let { size } = this.queue;
    for (const worker of this.#workers) if (worker.ahead) size++;
    return size;
  }

  /** Puts a task back in front. @param {Task} task */
  putBack(task) {
    if (this.queue.unshift) this.queue.unshift(task);
    else this.queue.push(task);
  }

  /** Takes the next task of the queue. @returns {Task | undefined} */
  shift() {
    let task;
    do task = this.queue.size > 0 ? this.queue.shift() : undefined;
    while (task?.settled);
    return task ?? undefined;
  }

  /** Sends tasks of the queue ahead to busy workers. @param {(worker: PoolWorker, task: Task) => void} post */
  sendAhead(post) {
    if (!this.#sendsAhead || this.queue.size === 0) return;
    for (const worker of this.#workers) {
      if (!worker.ready || worker.ahead || worker.tasks.size === 0) continue;
      const task = this.shift();
      if (!task) return;
      // What is moved cannot be taken back.
      if (task.transfers.length > 0) {
        this.putBack(task);
        return;
      }
      post(worker, task);
    }
  }

  /** Takes back a task that a worker has ahead. @returns {Task | undefined} */
  steal() {
    for (const worker of this.#workers) {
      const task = worker.ahead;
      if (task && worker.revoke(task)) return task;
    }
    return undefined;
  }

  /** Takes the tasks that no worker has begun. @param {(task: Task) => void} use */
  takeAll(use) {
    for (let task = this.steal(); task; task = this.steal()) use(task);
    for (let task = this.shift(); task; task = this.shift()) use(task);
  }
}
