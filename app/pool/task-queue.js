/** The queues of tasks that wait for a worker. */

/** @typedef {import('./types.js').TaskQueue} TaskQueue */

/** A queue of at least this many gaps at its front is compacted. */
const MAX_GAPS = 1024;

/** First in, first out; push() and shift() take the same time however long it is. @implements {TaskQueue} */
export class FixedQueue {
  /** @type {any[]} */
  #tasks = [];
  #first = 0;

  get size() {
    return this.#tasks.length - this.#first;
  }

  isEmpty() {
    return this.size === 0;
  }

  shift() {
    if (this.size === 0) return null;
    const task = this.#tasks[this.#first];
    this.#tasks[this.#first++] = undefined;
    if (this.size === 0 || this.#first >= MAX_GAPS) this.#compact();
    return task;
  }

  /** @param {any} task */
  push(task) {
    this.#tasks.push(task);
  }

  /** @param {any} task */
  unshift(task) {
    if (this.#first > 0) this.#tasks[--this.#first] = task;
    else this.#tasks.unshift(task);
  }

  /** @param {any} task */
  remove(task) {
    const index = this.#tasks.indexOf(task, this.#first);
    if (index === this.#first)
      this.shift(); // one abort of all tasks removes them from the front
    else if (index >= 0) this.#tasks.splice(index, 1);
  }

  /** Removes the gaps once they are at least half of the array, so that each task is moved at most once. */
  #compact() {
    if (this.#first * 2 < this.#tasks.length) return;
    this.#tasks = this.#tasks.slice(this.#first);
    this.#first = 0;
  }
}

/** A queue with the name of piscina's default one. */
export class ArrayTaskQueue extends FixedQueue {}
