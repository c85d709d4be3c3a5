/**
 * Measures the delay of the main thread's event loop. The histogram of Node.js has the whole interval between two
 * samples, so the resolution is subtracted.
 * https://nodejs.org/docs/latest-v20.x/api/perf_hooks.html#perf_hooksmonitoreventloopdelayoptions
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
export const WINDOW_MS = 15_000;
const NS_PER_MS = 1e6;

/** @typedef {{count: number, p50: number, p99: number, max: number}} Delay ms */

export class LoopDelay {
  #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  /** @type {Delay | undefined} */
  #lastWindow;
  #timer;

  /** @param {(delay: Delay) => void} [onWindow] called with each whole window */
  constructor(onWindow) {
    this.#histogram.enable();
    this.#timer = setInterval(() => {
      this.#lastWindow = this.snapshot();
      this.#histogram.reset();
      onWindow?.(this.#lastWindow);
    }, WINDOW_MS).unref();
  }

  /** Returns the delay since the start of the window or the last reset(). @returns {Delay} */
  snapshot() {
    const histogram = this.#histogram;
    /** @param {number} ns */
    const delayOf = (ns) => Math.max(0, ns / NS_PER_MS - RESOLUTION_MS);
    const { count } = histogram;
    if (count === 0) return { count, p50: 0, p99: 0, max: 0 };
    return {
      count,
      p50: delayOf(histogram.percentile(50)),
      p99: delayOf(histogram.percentile(99)),
      max: delayOf(histogram.max),
    };
  }

  /** The delay in the last complete window of 15 s, or in the first one if none is complete. @returns {Delay} */
  get recent() {
    return this.#lastWindow ?? this.snapshot();
  }

  /** Starts a measurement. From then on, the histogram is reset only by this function. */
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
