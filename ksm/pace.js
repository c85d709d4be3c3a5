/**
 * Computes the batches in which ksmd has to scan to use a given share of a core. The CPU time of a page is measured,
 * because it differs by a factor of twenty between a server and a Raspberry Pi.
 */

/** CPU time of a page before the first measurement: 2 us (2 GB/s), as on an x86-64 of 2020. */
const INITIAL_PAGE_MS = 0.002;
/** Weight of a new measurement. */
const WEIGHT = 0.3;
/** A measurement over fewer pages is ignored. */
const MIN_PAGES = 500;
/** Choices of the sleep between two batches. 20 ms is the kernel's default. */
const SLEEPS_MS = Object.freeze([20, 50, 100, 200, 500, 1000]);
const MIN_BATCH = 50;
const MAX_BATCH = 20_000;
/** Smaller relative changes of the rate are ignored. */
const MIN_CHANGE = 0.25;
/** Assumed number of pages while ksmd tracks none: about that of one worker. */
const UNKNOWN_PAGES = 2500;

/** @typedef {{pagesToScan: number, sleepMs: number}} Batch */

/** Measures the cost of a page, and computes batches. */
export class Pace {
  /** The estimated CPU time of a page, ms. */
  pageMs = INITIAL_PAGE_MS;
  /** @type {Batch | undefined} */
  #last;

  /** Adds a measurement. @param {number} cpuMs CPU time of ksmd @param {number} pages scanned meanwhile */
  learn(cpuMs, pages) {
    if (pages < MIN_PAGES || cpuMs <= 0) return;
    this.pageMs += WEIGHT * (cpuMs / pages - this.pageMs);
  }

  /**
   * Computes the batch for a share of a core.
   * @param {{cpu: number, passMs: number, pages: number}} want cpu: share of one core, 0..1; passMs: minimum duration
   *   of a pass over all pages; pages: their number
   */
  batchFor({ cpu, passMs, pages }) {
    const perMs = Math.min(cpu / this.pageMs, (pages || UNKNOWN_PAGES) / passMs);
    // The shortest sleep with a batch that is large enough for a wake-up.
    const sleepMs = SLEEPS_MS.find((ms) => perMs * ms >= MIN_BATCH) ?? SLEEPS_MS.at(-1) ?? 20;
    // The period includes the time of the batch: n = perMs * (sleep + n * pageMs).
    const busy = Math.min(0.9, perMs * this.pageMs);
    const batch = Math.round((perMs * sleepMs) / (1 - busy));
    const pagesToScan = Math.min(MAX_BATCH, Math.max(MIN_BATCH, batch));
    const last = this.#last;
    const rate = pagesToScan / sleepMs;
    if (last && Math.abs(rate / (last.pagesToScan / last.sleepMs) - 1) < MIN_CHANGE) return last;
    this.#last = { pagesToScan, sleepMs };
    return this.#last;
  }
}
