/**
 * How many pages ksmd may scan at a time so that it takes a given share of a core. What a page costs
 * is measured: it differs by a factor of twenty between a server and a Raspberry Pi.
 */

/** Until measured: a page in 2 us, 2 GB/s, which is what an x86-64 of 2020 does. */
const FIRST_GUESS_MS = 0.002;
/** How much of a new measurement is believed. */
const WEIGHT = 0.3;
/** A measurement over fewer pages says little. */
const MIN_PAGES = 500;
/** ksmd sleeps so long between two batches: 20 ms is the kernel's own default, for a burst. */
const SLEEPS_MS = Object.freeze([20, 50, 100, 200, 500, 1000]);
const MIN_BATCH = 50;
const MAX_BATCH = 20_000;
/** Settings are left as they are while what would be right is within this of them. */
const STEADY = 0.25;
/** Nothing is tracked yet right after the first process is marked; about one worker's pages. */
const UNKNOWN_PAGES = 2500;

/** @typedef {{pagesToScan: number, sleepMs: number}} Batch */

export class Pace {
  #pageMs = FIRST_GUESS_MS;
  /** @type {Batch | undefined} */
  #last;

  /** CPU time that a page is believed to cost, milliseconds. */
  get pageMs() {
    return this.#pageMs;
  }

  /** @param {number} cpuMs that ksmd took @param {number} pages that it scanned meanwhile */
  learn(cpuMs, pages) {
    if (pages < MIN_PAGES || cpuMs <= 0) return;
    this.#pageMs += WEIGHT * (cpuMs / pages - this.#pageMs);
  }

  /**
   * @param {{cpu: number, passMs: number, pages: number}} want cpu: share of one core, 0..1;
   *   passMs: a pass over all pages takes at least so long; pages: how many there are
   * @returns {Batch}
   */
  for({ cpu, passMs, pages }) {
    const perMs = Math.min(cpu / this.#pageMs, (pages || UNKNOWN_PAGES) / passMs);
    // The shortest sleep that still makes a batch worth waking up for.
    const sleepMs = SLEEPS_MS.find((ms) => perMs * ms >= MIN_BATCH) ?? SLEEPS_MS.at(-1) ?? 20;
    // The time of the batch itself belongs to the period: n = perMs * (sleep + n * pageMs).
    const busy = Math.min(0.9, perMs * this.#pageMs);
    const batch = Math.round((perMs * sleepMs) / (1 - busy));
    const pagesToScan = Math.min(MAX_BATCH, Math.max(MIN_BATCH, batch));
    const last = this.#last;
    const rate = pagesToScan / sleepMs;
    if (last && Math.abs(rate / (last.pagesToScan / last.sleepMs) - 1) < STEADY) return last;
    this.#last = { pagesToScan, sleepMs };
    return this.#last;
  }
}
