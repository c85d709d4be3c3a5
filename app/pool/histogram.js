/** Records how long tasks wait and run. */
import { createHistogram } from 'node:perf_hooks';

const MICROS_PER_MS = 1000;
const PERCENTILES = [0.001, 0.01, 0.1, 1, 2.5, 10, 25, 50, 75, 90, 97.5, 99, 99.9, 99.99, 99.999];

/** @typedef {import('./types.js').Summary} Summary */

/**
 * Summarizes a histogram.
 * @param {import('node:perf_hooks').RecordableHistogram} histogram @returns {Summary}
 */
export function summarize(histogram) {
  const { mean, stddev, min, max } = histogram;
  /** @type {Summary} */
  const summary = { average: mean, mean, stddev, min, max };
  for (const p of PERCENTILES) {
    summary[`p${String(p).replace('.', '_')}`] = histogram.percentile(p);
  }
  for (const name of Object.keys(summary)) summary[name] /= MICROS_PER_MS;
  return summary;
}

/** @param {import('node:perf_hooks').RecordableHistogram} histogram @param {number} ms */
export const record = (histogram, ms) =>
  histogram.record(Math.max(1, Math.trunc(ms * MICROS_PER_MS)));

/** The histograms of a pool. */
export class PoolHistogram {
  #run = createHistogram();
  #wait = createHistogram();

  /** @param {number} ms */
  recordRun(ms) {
    record(this.#run, ms);
  }

  /** @param {number} ms */
  recordWait(ms) {
    record(this.#wait, ms);
  }

  /** Sum of all run times in ms. */
  get totalRunMs() {
    return this.#run.count === 0 ? 0 : (this.#run.mean * this.#run.count) / MICROS_PER_MS;
  }

  get runTime() {
    return summarize(this.#run);
  }
  get waitTime() {
    return summarize(this.#wait);
  }
  resetRunTime() {
    this.#run.reset();
  }
  resetWaitTime() {
    this.#wait.reset();
  }
}

/**
 * Returns what users of a pool see.
 * @param {PoolHistogram | undefined} histogram undefined: times are not recorded
 * @returns {import('./types.js').HistogramView}
 */
export const viewOf = (histogram) => ({
  get runTime() {
    return histogram?.runTime;
  },
  get waitTime() {
    return histogram?.waitTime;
  },
  resetRunTime: () => histogram?.resetRunTime(),
  resetWaitTime: () => histogram?.resetWaitTime(),
});
