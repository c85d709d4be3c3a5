/**
 * How long a player waits: from the arrival of a pad's message until the first frame that shows
 * it has been handed to the screens' sockets.
 */
import { createHistogram } from 'node:perf_hooks';

/** Inputs remembered for each slot; 64 are half a second of the fastest pad. */
const PENDING = 64;

class Pending {
  sequences = new Uint32Array(PENDING);
  arrivals = new Float64Array(PENDING);
  first = 0;
  count = 0;

  /** @param {number} sequence @param {number} at */
  push(sequence, at) {
    if (this.count === PENDING) this.shift(); // the match stands still; the oldest are forgotten
    const index = (this.first + this.count++) % PENDING;
    this.sequences[index] = sequence;
    this.arrivals[index] = at;
  }

  shift() {
    this.first = (this.first + 1) % PENDING;
    this.count--;
  }
}

export class LatencyMeter {
  #histogram = createHistogram(); // microseconds
  /** @type {WeakMap<object, Map<number, Pending>>} */
  #matches = new WeakMap();

  /** @param {(seconds: number) => void} [observe] told of each value as well */
  constructor(observe = () => {}) {
    this.observe = observe;
  }

  /**
   * @param {object} match @param {number} slot
   * @param {number} sequence of the input @param {number} at ms, performance.now()
   */
  arrived(match, slot, sequence, at) {
    let slots = this.#matches.get(match);
    if (!slots) this.#matches.set(match, (slots = new Map()));
    let pending = slots.get(slot);
    if (!pending) slots.set(slot, (pending = new Pending()));
    pending.push(sequence, at);
  }

  /**
   * @param {object} match
   * @param {(slot: number) => number} shownBy sequence that the frame shows of a slot
   * @param {boolean} sent whether the frame went out to anybody
   * @param {number} at ms, performance.now()
   */
  shown(match, shownBy, sent, at) {
    const slots = this.#matches.get(match);
    if (!slots) return;
    for (const [slot, pending] of slots) {
      if (pending.count === 0) continue;
      const shown = shownBy(slot);
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

  /** @returns {{count: number, p50: number, p99: number, max: number}} ms, since the last reset */
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
