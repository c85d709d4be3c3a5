/**
 * Decides when ksmd scans and how fast. Pure arithmetic: it reads no clock and no files. Given one sample a second, it
 * chooses the mode of ksmd:
 *
 *   off      nothing is marked, or scanning does not pay
 *   burst    processes have started: scan fast until two whole passes in a row merge little
 *   trickle  scan slowly, to merge the pages that processes change
 *
 * Scanning pays if the kernel's general_profit is positive, the metadata is below the limit in
 * Documentation/admin-guide/mm/ksm.rst, and each percent of a core saves enough memory (less when memory is short).
 *
 * The pace is that of batches which use a given share of a core. The CPU time of a page is measured, because it differs
 * by a factor of twenty between a server and a Raspberry Pi.
 */

/** @typedef {'off' | 'burst' | 'trickle'} Mode */

/**
 * @typedef {object} Sample
 * @property {number} atMs time of a monotonic clock
 * @property {number} fullScans @property {import('./sysfs.js').Balance} balance
 * @property {number | undefined} pagesScanned since boot
 * @property {number | undefined} ksmdCpuMs since boot
 * @property {number} started number of processes marked since the last sample
 * @property {number} mergeable number of marked processes
 * @property {number} pressure share of the last 10 s in which a task waited for memory, 0..100 (PSI some avg10)
 * @property {number} available MemAvailable / MemTotal, 0..1
 */

/** @typedef {ReturnType<Policy['decide']>} Decision */
/** @typedef {Record<keyof typeof DEFAULTS, number>} PolicyOptions */

export const DEFAULTS = Object.freeze({
  /** Maximum share of one core in a burst. */
  burstCpu: 0.25,
  /** Minimum duration of a whole pass, so that pages which change all the time differ between two passes. */
  burstPassMs: 1000,
  /** Duration of the mode off, unless a process starts. It doubles each time, up to the maximum. */
  holdMs: 120_000,
  maxHoldMs: 3_600_000,
});
/** As burstCpu and burstPassMs, in a trickle. */
const TRICKLE_CPU = 0.02;
const TRICKLE_PASS_MS = 5000;
/** A pass is quiet if the number of merged pages changes by less than the larger of these. */
const QUIET_PAGES = 64;
const QUIET_SHARE = 0.01;
/** A burst ends after this many quiet passes in a row. */
const QUIET_PASSES = 2;
/** Minimum passes of a burst: KSM merges a page only if it did not change between two passes. */
const MIN_PASSES = 3;
export const MAX_BURST_MS = 60_000;
/** Memory that one percent of a core must save, MiB. */
const MIB_PER_CPU_PERCENT = 2;
/** Length of the windows in which savings and cost are compared, and how many in a row may fail. */
const WINDOW_MS = 10_000;
const FAILING_WINDOWS = 3;
/** Memory is short from above the first pressure or below the first share, until below and above the second. */
const PRESSURE = Object.freeze({ high: 10, low: 3 });
const AVAILABLE = Object.freeze({ low: 0.1, high: 0.15 });
/** How much more CPU time scanning may use while memory is short. */
const PRESSED_FACTOR = 4;

const MIB = 1024 * 1024;

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

/** Chooses the mode of ksmd. */
export class Policy {
  /** @type {Mode} */
  mode = 'off';
  #options;
  #pace = new Pace();
  #pressed = false;
  #reason = 'nothing is marked';
  #unmerge = false;
  /** Progress of the burst. */
  #burst = { sinceMs: 0, fullScans: 0, merged: 0, passes: 0, quiet: 0 };
  /** Start of the current window of the trickle, and the number of failed windows in a row. */
  #window = { sinceMs: 0, cpuMs: 0, failed: 0 };
  /** End of the hold time in mode off. */
  #offUntilMs = 0;
  /** @type {number} */
  #holdMs;
  /** @type {Sample | undefined} */
  #last;

  /** @param {Partial<PolicyOptions>} [options] */
  constructor(options = {}) {
    /** @type {PolicyOptions} */
    this.#options = { ...DEFAULTS, ...options };
    this.#holdMs = this.#options.holdMs;
  }

  /** Decides for the next second. @param {Sample} sample */
  decide(sample) {
    const before = this.mode;
    const pressedBefore = this.#pressed;
    this.#measure(sample);
    this.#step(sample, this.#pressed && !pressedBefore);
    this.#last = sample;
    return {
      mode: this.mode,
      changed: this.mode !== before,
      reason: this.#reason,
      pressed: this.#pressed, // memory is short
      pace: this.mode === 'off' ? undefined : this.#paceFor(this.mode, sample),
      /** Whether to split the merged pages, too: their metadata costs more than they save. */
      unmerge: this.mode === 'off' && this.#unmerge,
    };
  }

  /** @param {Sample} sample */
  #measure({ pagesScanned, ksmdCpuMs, pressure, available }) {
    if (pressure >= PRESSURE.high || available < AVAILABLE.low) this.#pressed = true;
    else if (pressure < PRESSURE.low && available >= AVAILABLE.high) this.#pressed = false;
    if (this.#last?.pagesScanned === undefined || this.#last.ksmdCpuMs === undefined) return;
    if (pagesScanned === undefined || ksmdCpuMs === undefined) return;
    this.#pace.learn(ksmdCpuMs - this.#last.ksmdCpuMs, pagesScanned - this.#last.pagesScanned);
  }

  /** @param {Sample} sample @param {boolean} nowPressed */
  #step(sample, nowPressed) {
    if (sample.mergeable === 0) {
      if (this.mode !== 'off') this.#goOff(sample, 'nothing is marked any more', true);
      this.#offUntilMs = 0;
      this.#holdMs = this.#options.holdMs;
      return;
    }
    const { started } = sample;
    if (started > 0) {
      return this.#goBurst(sample, `${started} process${started > 1 ? 'es' : ''} started`);
    }
    if (nowPressed && this.mode !== 'burst') return this.#goBurst(sample, 'memory is short');
    if (this.mode === 'burst') return this.#stepBurst(sample);
    if (this.mode === 'trickle') return this.#stepTrickle(sample);
    if (sample.atMs >= this.#offUntilMs) this.#goBurst(sample, 'trying again after a while');
  }

  /** @param {Sample} sample @param {string} reason */
  #goBurst(sample, reason) {
    this.mode = 'burst';
    this.#reason = reason;
    this.#burst = {
      sinceMs: sample.atMs,
      fullScans: sample.fullScans,
      merged: sample.balance.mergedPages,
      passes: 0,
      quiet: 0,
    };
  }

  /** @param {Sample} sample */
  #stepBurst(sample) {
    const burst = this.#burst;
    const passes = sample.fullScans - burst.fullScans;
    if (passes > 0) {
      const merged = sample.balance.mergedPages;
      const gained = merged - burst.merged;
      // A decrease also counts as a change: pages were split, or processes have ended.
      const quiet = Math.abs(gained) < Math.max(QUIET_PAGES, QUIET_SHARE * merged);
      burst.quiet = quiet ? burst.quiet + passes : 0;
      burst.passes += passes;
      burst.fullScans = sample.fullScans;
      burst.merged = merged;
    }
    const done = burst.quiet >= QUIET_PASSES && burst.passes >= MIN_PASSES;
    const tooLong = sample.atMs - burst.sinceMs >= MAX_BURST_MS;
    if (!done && !tooLong) return;
    const loss = this.#loss(sample);
    if (loss !== undefined) return this.#goOff(sample, loss, true);
    this.mode = 'trickle';
    this.#reason = done
      ? `${burst.quiet} passes merged little`
      : `a burst takes at most ${MAX_BURST_MS / 1000} s`;
    this.#window = { sinceMs: sample.atMs, cpuMs: sample.ksmdCpuMs ?? 0, failed: 0 };
  }

  /** @param {Sample} sample */
  #stepTrickle(sample) {
    const window = this.#window;
    const elapsedMs = sample.atMs - window.sinceMs;
    if (elapsedMs < WINDOW_MS) return;
    const cpuPercent =
      sample.ksmdCpuMs === undefined ? 0 : ((sample.ksmdCpuMs - window.cpuMs) / elapsedMs) * 100;
    const loss = this.#loss(sample);
    const why = loss ?? this.#excessiveCost(sample, cpuPercent);
    window.failed = why === undefined ? 0 : window.failed + 1;
    window.sinceMs = sample.atMs;
    window.cpuMs = sample.ksmdCpuMs ?? 0;
    if (why === undefined) this.#holdMs = this.#options.holdMs;
    else if (window.failed >= FAILING_WINDOWS) this.#goOff(sample, why, loss !== undefined);
  }

  /** @param {Sample} sample @returns {string | undefined} the reason if the metadata costs more than merging saves */
  #loss({ balance }) {
    if (balance.mergedPages === 0) return 'no page could be merged';
    if (balance.profitBytes < 0) return `the profit is ${balance.profitBytes} bytes`;
    if (balance.ratio > balance.ratioBound) {
      return `${balance.ratio.toFixed(0)} pages are tracked for one merged, over ${balance.ratioBound}`;
    }
    return undefined;
  }

  /**
   * @param {Sample} sample @param {number} cpuPercent of one core
   * @returns {string | undefined} the reason if ksmd uses too much CPU time for what it saves
   */
  #excessiveCost({ balance }, cpuPercent) {
    const price = MIB_PER_CPU_PERCENT / (this.#pressed ? PRESSED_FACTOR : 1);
    const savedMib = balance.profitBytes / MIB;
    if (savedMib >= cpuPercent * price) return undefined;
    return `ksmd uses ${cpuPercent.toFixed(1)} % of a core to save ${savedMib.toFixed(1)} MiB`;
  }

  /** @param {Sample} sample @param {string} reason @param {boolean} unmerge */
  #goOff(sample, reason, unmerge) {
    this.mode = 'off';
    this.#reason = reason;
    this.#unmerge = unmerge;
    this.#offUntilMs = sample.atMs + this.#holdMs;
    this.#holdMs = Math.min(this.#options.maxHoldMs, this.#holdMs * 2);
  }

  /** @param {'burst' | 'trickle'} mode @param {Sample} sample */
  #paceFor(mode, { balance }) {
    const pages = balance.rmapItems;
    const { burstCpu, burstPassMs } = this.#options;
    if (mode === 'burst') return this.#pace.batchFor({ cpu: burstCpu, passMs: burstPassMs, pages });
    const factor = this.#pressed ? PRESSED_FACTOR : 1;
    const passMs = TRICKLE_PASS_MS / factor;
    return this.#pace.batchFor({ cpu: TRICKLE_CPU * factor, passMs, pages });
  }
}
