/** Counts a pool's tasks and records how long they wait and run. */
import { createHistogram } from 'node:perf_hooks';

const MICROS_PER_MS = 1000;
const PERCENTILES = [0.001, 0.01, 0.1, 1, 2.5, 10, 25, 50, 75, 90, 97.5, 99, 99.9, 99.99, 99.999];

/** @typedef {import('./task.js').Task} Task */
/** @typedef {import('./types.js').Summary} Summary */
/** @typedef {import('node:perf_hooks').RecordableHistogram} Histogram */

/** Summarizes a histogram. @param {Histogram} histogram @returns {Summary} */
export function summarize(histogram) {
  const { mean, stddev, min, max } = histogram;
  /** @type {Record<string, number>} */
  const summary = { average: mean, mean, stddev, min, max };
  for (const p of PERCENTILES) {
    summary[`p${String(p).replace('.', '_')}`] = histogram.percentile(p);
  }
  for (const name of Object.keys(summary)) summary[name] /= MICROS_PER_MS;
  return /** @type {Summary} */ (summary);
}

/** @param {Histogram} histogram @param {number} ms */
export const record = (histogram, ms) =>
  histogram.record(Math.max(1, Math.trunc(ms * MICROS_PER_MS)));

export class Meter {
  /** Tasks that workers run. */
  running = 0;
  /** Tasks that have settled. */
  completed = 0;
  /** Whether all workers are busy. */
  needsDrain = false;
  /** What users of the pool see. @type {import('./types.js').HistogramView} */
  histogram;
  /** Undefined: times are not recorded. @type {Histogram | undefined} */
  #run;
  /** @type {Histogram | undefined} */
  #wait;
  #capacity;
  #measures;
  #notify;

  /**
   * @param {import('./options.js').CheckedPoolOptions} options
   * @param {import('./scheduler.js').Notify} notify
   */
  constructor({ maxThreads, concurrentTasksPerWorker, recordTiming, workerHistogram }, notify) {
    this.#capacity = Math.floor(maxThreads) * concurrentTasksPerWorker;
    this.#measures = recordTiming || workerHistogram;
    this.#notify = notify;
    if (recordTiming) {
      this.#run = createHistogram();
      this.#wait = createHistogram();
    }
    const [run, wait] = [this.#run, this.#wait];
    const summaryOf = (/** @type {any} */ histogram) => histogram && summarize(histogram);
    this.histogram = {
      get runTime() {
        return summaryOf(run);
      },
      get waitTime() {
        return summaryOf(wait);
      },
      resetRunTime: () => run?.reset(),
      resetWaitTime: () => wait?.reset(),
    };
  }

  /** Counts a task that begins. @param {Task} task */
  begin(task) {
    this.running++;
    if (!this.#measures) return;
    task.started = performance.now();
    if (this.#wait) record(this.#wait, task.started - task.created);
  }

  /** Counts a task that has ended. @param {Task} task */
  end(task) {
    this.running--;
    if (task.aborted) return; // it was counted when it was aborted
    this.completed++;
    if (this.#run) record(this.#run, performance.now() - task.started);
  }

  /** Sum of all run times in ms; 0 if they are not recorded. */
  get totalRunMs() {
    const run = this.#run;
    return run && run.count > 0 ? (run.mean * run.count) / MICROS_PER_MS : 0;
  }

  /** Emits 'needsDrain' while all workers are busy, then 'drain'. */
  checkCapacity() {
    const busy = this.running >= this.#capacity;
    if (!busy && !this.needsDrain) return;
    this.needsDrain = busy;
    queueMicrotask(() => this.#notify(busy ? 'needsDrain' : 'drain'));
  }
}
