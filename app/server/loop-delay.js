/**
 * How late the main thread's event loop is. Node's histogram holds the whole interval between two
 * samples, so the interval asked for is taken off again.
 * https://nodejs.org/docs/latest-v20.x/api/perf_hooks.html#perf_hooksmonitoreventloopdelayoptions
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const WINDOW_MS = 15_000;
const NS_PER_MS = 1e6;

/** @typedef {{count: number, p50: number, p99: number, max: number}} Delay ms */

export class LoopDelay {
  #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  /** @type {Delay | undefined} */
  #lastWindow;
  #timer;

  constructor() {
    this.#histogram.enable();
    this.#timer = setInterval(() => {
      this.#lastWindow = this.snapshot();
      this.#histogram.reset();
    }, WINDOW_MS).unref();
  }

  /** @returns {Delay} since the window began or reset() was called */
  snapshot() {
    const histogram = this.#histogram;
    /** @param {number} ns */
    const late = (ns) => Math.max(0, ns / NS_PER_MS - RESOLUTION_MS);
    const { count } = histogram;
    if (count === 0) return { count, p50: 0, p99: 0, max: 0 };
    return {
      count,
      p50: late(histogram.percentile(50)),
      p99: late(histogram.percentile(99)),
      max: late(histogram.max),
    };
  }

  /** @returns {Delay} of the last whole window of 15 s; of what there is before the first one ends */
  get recent() {
    return this.#lastWindow ?? this.snapshot();
  }

  /** Begins a measurement: no window ends until the next reset. */
  reset() {
    clearInterval(this.#timer);
    this.#lastWindow = undefined;
    this.#histogram.reset();
  }

  close() {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }
}
