/**
 * Measures the latency of inputs: the time from the arrival of a pad's message until the first frame that shows it was
 * written to the sockets of screens.
 */
import { createHistogram } from 'node:perf_hooks';

/** Remembered inputs of a slot: half a second of the fastest pad. */
const MAX_PENDING = 64;

/** The inputs of a slot that no frame has shown yet. */
class PendingInputs {
  sequences = new Uint32Array(MAX_PENDING);
  arrivals = new Float64Array(MAX_PENDING);
  first = 0;
  count = 0;

  /** @param {number} sequence @param {number} at ms */
  push(sequence, at) {
    if (this.count === MAX_PENDING) this.shift(); // the worker makes no progress: forget the oldest
    const index = (this.first + this.count++) % MAX_PENDING;
    this.sequences[index] = sequence;
    this.arrivals[index] = at;
  }

  shift() {
    this.first = (this.first + 1) % MAX_PENDING;
    this.count--;
  }
}

export class LatencyMeter {
  #histogram = createHistogram(); // microseconds
  /** @type {WeakMap<object, Map<number, PendingInputs>>} */
  #matches = new WeakMap();

  /** @param {(seconds: number) => void} [observe] called with each latency */
  constructor(observe = () => {}) {
    this.observe = observe;
  }

  /**
   * Records the arrival of an input.
   * @param {object} match @param {number} slot
   * @param {number} sequence of the input @param {number} at ms, performance.now()
   */
  recordInput(match, slot, sequence, at) {
    let slots = this.#matches.get(match);
    if (!slots) this.#matches.set(match, (slots = new Map()));
    let pending = slots.get(slot);
    if (!pending) slots.set(slot, (pending = new PendingInputs()));
    pending.push(sequence, at);
  }

  /**
   * Records the inputs that a frame shows.
   * @param {object} match
   * @param {(slot: number) => number} sequenceOf returns the sequence number of the slot's input in the frame
   * @param {boolean} sent whether the frame was sent to a screen
   * @param {number} at ms, performance.now()
   */
  recordFrame(match, sequenceOf, sent, at) {
    const slots = this.#matches.get(match);
    if (!slots) return;
    for (const [slot, pending] of slots) {
      if (pending.count === 0) continue;
      const shown = sequenceOf(slot);
      while (pending.count > 0 && ((shown - pending.sequences[pending.first]) | 0) >= 0) {
        if (sent) this.#record(at - pending.arrivals[pending.first]);
        pending.shift();
      }
    }
  }

  /** @param {number} ms */
  #record(ms) {
    this.#histogram.record(Math.max(1, Math.round(ms * 1000)));
    this.observe(ms / 1000);
  }

  /** Returns statistics since the last reset. @returns {{count: number, p50: number, p99: number, max: number}} ms */
  snapshot() {
    const { count, max } = this.#histogram;
    /** @param {number} percent */
    const at = (percent) => (count > 0 ? this.#histogram.percentile(percent) / 1000 : 0);
    return { count, p50: at(50), p99: at(99), max: count > 0 ? max / 1000 : 0 };
  }

  reset() {
    this.#histogram.reset();
  }
}
