/** Measures the delay of the event loop and the latency of inputs. */
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
export const WINDOW_MS = 15_000;
const NS_PER_MS = 1e6;

/** @typedef {{count: number, p50: number, p99: number, max: number}} Delay ms */
/** @typedef {{sequence: number, at: number}} PendingInput at: time of arrival, ms */

/** @param {import('node:perf_hooks').Histogram} histogram @param {(value: number) => number} toMs @returns {Delay} */
function summaryOf(histogram, toMs) {
  const { count, max } = histogram;
  if (count === 0) return { count, p50: 0, p99: 0, max: 0 };
  const at = (/** @type {number} */ percent) => toMs(histogram.percentile(percent));
  return { count, p50: at(50), p99: at(99), max: toMs(max) };
}

/**
 * Measures the delay of the main thread's event loop. The histogram of Node.js has the whole interval between two
 * samples, so the resolution is subtracted.
 * https://nodejs.org/docs/latest-v20.x/api/perf_hooks.html#perf_hooksmonitoreventloopdelayoptions
 */
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
    return summaryOf(this.#histogram, (ns) => Math.max(0, ns / NS_PER_MS - RESOLUTION_MS));
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

/** Remembered inputs of a slot: half a second of the fastest pad. */
const MAX_PENDING = 64;
/** Seconds; a tick is 0.0167. */
const BOUNDS = Object.freeze([0.004, 0.008, 0.012, 0.0167, 0.025, 0.0334, 0.05, 0.1, 0.25, 1]);

/**
 * Measures the latency of inputs: the time from the arrival of a pad's message until the first frame that shows it was
 * written to the sockets of screens.
 */
export class LatencyMeter {
  #histogram = createHistogram(); // microseconds
  /** Upper bounds of `counts`, s. Longer latencies are in a last count of their own. */
  bounds = BOUNDS;
  /** Latencies since the start by their length. A histogram of Node.js cannot be read by bounds. */
  counts = new Float64Array(BOUNDS.length + 1);
  /** Of all latencies since the start, s. */
  sum = 0;
  /** Inputs that no frame has shown yet, by match and slot. @type {WeakMap<object, Map<number, PendingInput[]>>} */
  #matches = new WeakMap();

  /** Records an input. @param {object} match @param {number} slot @param {number} sequence @param {number} at ms */
  recordInput(match, slot, sequence, at) {
    let slots = this.#matches.get(match);
    if (!slots) this.#matches.set(match, (slots = new Map()));
    let pending = slots.get(slot);
    if (!pending) slots.set(slot, (pending = []));
    pending.push({ sequence, at });
    if (pending.length > MAX_PENDING) pending.shift(); // the worker makes no progress: forget the oldest
  }

  /**
   * Records the inputs that a frame shows.
   * @param {object} match
   * @param {(slot: number) => number} sequenceOf returns the sequence number of the slot's input in the frame
   * @param {boolean} sent whether the frame was sent to a screen @param {number} at ms, performance.now()
   */
  recordFrame(match, sequenceOf, sent, at) {
    const slots = this.#matches.get(match);
    if (!slots) return;
    for (const [slot, pending] of slots) {
      if (pending.length === 0) continue;
      const shown = sequenceOf(slot);
      while (pending.length > 0 && ((shown - pending[0].sequence) | 0) >= 0) {
        if (sent) this.#record(at - pending[0].at);
        pending.shift();
      }
    }
  }

  /** @param {number} ms */
  #record(ms) {
    this.#histogram.record(Math.max(1, Math.round(ms * 1000)));
    const index = BOUNDS.findIndex((bound) => ms / 1000 <= bound);
    this.counts[index < 0 ? BOUNDS.length : index]++;
    this.sum += ms / 1000;
  }

  /** Returns statistics since the last reset. @returns {Delay} */
  snapshot() {
    return summaryOf(this.#histogram, (micros) => micros / 1000);
  }

  reset() {
    this.#histogram.reset();
  }
}
