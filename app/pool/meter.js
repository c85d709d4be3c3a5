/** Counts a pool's tasks and records how long they wait and run. */
import { PoolHistogram } from './histogram.js';

/** @typedef {import('./task.js').Task} Task */

export class Meter {
  /** Tasks that workers run. */
  running = 0;
  /** Tasks that have settled. */
  completed = 0;
  /** Whether all workers are busy. */
  needsDrain = false;
  /** @type {PoolHistogram | undefined} */
  histogram;
  #capacity;
  #measures;
  #onCapacity;

  /**
   * @param {import('./options.js').CheckedPoolOptions} options
   * @param {(busy: boolean) => void} onCapacity all workers are busy, or no longer
   */
  constructor({ maxThreads, concurrentTasksPerWorker, recordTiming, workerHistogram }, onCapacity) {
    this.#capacity = Math.floor(maxThreads) * concurrentTasksPerWorker;
    this.#measures = recordTiming || workerHistogram;
    this.#onCapacity = onCapacity;
    if (recordTiming) this.histogram = new PoolHistogram();
  }

  /** Counts a task that begins. @param {Task} task */
  begin(task) {
    this.running++;
    if (!this.#measures) return;
    task.started = performance.now();
    this.histogram?.recordWait(task.started - task.created);
  }

  /** Counts a task that has ended. @param {Task} task */
  end(task) {
    this.running--;
    if (task.aborted) return; // it was counted when it was aborted
    this.completed++;
    this.histogram?.recordRun(performance.now() - task.started);
  }

  /** Reports whether all workers are busy. */
  checkCapacity() {
    const busy = this.running >= this.#capacity;
    if (!busy && !this.needsDrain) return;
    this.needsDrain = busy;
    this.#onCapacity(busy);
  }
}
