/**
 * When to scan and how fast: pure arithmetic, no clock, no files. Fed with one sample a second it
 * says in which mode ksmd should be:
 *
 *   off      nothing is marked, or it does not pay
 *   burst    processes came: scan until two whole passes in a row found little new
 *   trickle  keep up with what the processes change, at the least price
 *
 * It pays while all of these hold: the kernel's own balance is positive, the metadata stays under the
 * bound of Documentation/admin-guide/mm/ksm.rst, and each percent of a core that ksmd takes saves
 * enough memory. When memory is short, a percent may save less.
 */
import { Pace } from './pace.js';

/** @typedef {'off' | 'burst' | 'trickle'} Mode */

/**
 * @typedef {object} Sample
 * @property {number} atMs a clock that only goes forward
 * @property {number} fullScans
 * @property {import('./sysfs.js').Balance} balance
 * @property {number | undefined} pagesScanned since boot
 * @property {number | undefined} ksmdCpuMs since boot
 * @property {number} started processes newly marked since the last sample
 * @property {number} mergeable processes marked
 * @property {number} pressure share of the last 10 s in which something waited for memory, 0..100 (PSI some avg10)
 * @property {number} available MemAvailable / MemTotal, 0..1
 */

/**
 * @typedef {object} Decision
 * @property {Mode} mode @property {boolean} changed the mode is another than before
 * @property {string} reason @property {boolean} pressed memory is short
 * @property {{pagesToScan: number, sleepMs: number} | undefined} pace undefined in mode off
 * @property {boolean} unmerge off, and what was merged is not worth its metadata: give that back too
 */

/** @typedef {Record<keyof typeof DEFAULTS, number>} PolicyOptions */

export const DEFAULTS = Object.freeze({
  /** Of one core, while bursting and while trickling. */
  burstCpu: 0.25,
  trickleCpu: 0.02,
  /** A whole pass takes at least so long: pages that change all the time show themselves. */
  burstPassMs: 1000,
  tricklePassMs: 5000,
  /** A pass that changed fewer pages, and less than this share of those merged, found little new. */
  littlePages: 64,
  littleShare: 0.01,
  quietPasses: 2,
  /** KSM compares a page only when it was the same in two passes. */
  leastPasses: 3,
  mostBurstMs: 60_000,
  /** What a percent of one core must save, MiB. */
  mibPerCpuPercent: 2,
  /** Over how long worth and cost are compared, and how often in a row it must not pay. */
  windowMs: 10_000,
  failingWindows: 3,
  /** Off stays off for so long, twice as long each time up to the most, unless something happens. */
  holdMs: 120_000,
  mostHoldMs: 3_600_000,
  /** Memory is short above and below these; it is enough again at the others. */
  pressureHigh: 10,
  pressureLow: 3,
  availableLow: 0.1,
  availableHigh: 0.15,
  /** Short memory is worth so much more CPU time. */
  pressedFactor: 4,
});

const MIB = 1024 * 1024;

export class Policy {
  /** @type {Mode} */
  #mode = 'off';
  #options;
  #pace = new Pace();
  #pressed = false;
  #reason = 'nothing is marked';
  #unmerge = false;
  /** Burst: where it stands. */
  #burst = { sinceMs: 0, fullScans: 0, merged: 0, passes: 0, quiet: 0 };
  /** Trickle: since when cost is counted, and how often it did not pay. */
  #window = { sinceMs: 0, cpuMs: 0, failed: 0 };
  /** Off: until when it stays so whatever the figures say. */
  #offUntilMs = 0;
  /** @type {number} */
  #holdMs;
  /** @type {Sample | undefined} */
  #last;
  /** @type {string | undefined} */
  #wanted;

  /** @param {Partial<PolicyOptions>} [options] */
  constructor(options = {}) {
    /** @type {PolicyOptions} */
    this.#options = { ...DEFAULTS, ...options };
    this.#holdMs = this.#options.holdMs;
  }

  get mode() {
    return this.#mode;
  }

  /**
   * The next decide() starts a burst, if anything is marked.
   * @param {string} reason
   */
  requestBurst(reason) {
    this.#wanted = reason;
  }

  /**
   * @param {Sample} sample
   * @returns {Decision}
   */
  decide(sample) {
    const before = this.#mode;
    const pressedBefore = this.#pressed;
    this.#measure(sample);
    this.#step(sample, this.#pressed && !pressedBefore);
    this.#last = sample;
    return {
      mode: this.#mode,
      changed: this.#mode !== before,
      reason: this.#reason,
      pressed: this.#pressed,
      pace: this.#mode === 'off' ? undefined : this.#paceFor(this.#mode, sample),
      unmerge: this.#mode === 'off' && this.#unmerge,
    };
  }

  /** @param {Sample} sample */
  #measure({ pagesScanned, ksmdCpuMs, pressure, available }) {
    const { pressureHigh, pressureLow, availableLow, availableHigh } = this.#options;
    if (pressure >= pressureHigh || available < availableLow) this.#pressed = true;
    else if (pressure < pressureLow && available >= availableHigh) this.#pressed = false;
    if (this.#last?.pagesScanned === undefined || this.#last.ksmdCpuMs === undefined) return;
    if (pagesScanned === undefined || ksmdCpuMs === undefined) return;
    this.#pace.learn(ksmdCpuMs - this.#last.ksmdCpuMs, pagesScanned - this.#last.pagesScanned);
  }

  /** @param {Sample} sample @param {boolean} nowPressed */
  #step(sample, nowPressed) {
    if (sample.mergeable === 0) {
      if (this.#mode !== 'off') this.#goOff(sample, 'nothing is marked any more', true);
      this.#offUntilMs = 0;
      this.#holdMs = this.#options.holdMs;
      return;
    }
    const event = this.#event(sample, nowPressed);
    this.#wanted = undefined;
    if (event !== undefined) return this.#goBurst(sample, event);
    if (this.#mode === 'burst') return this.#stepBurst(sample);
    if (this.#mode === 'trickle') return this.#stepTrickle(sample);
    if (sample.atMs >= this.#offUntilMs) this.#goBurst(sample, 'trying again after a while');
  }

  /** @param {Sample} sample @param {boolean} nowPressed @returns {string | undefined} why to burst now */
  #event({ started }, nowPressed) {
    if (started > 0) return `${started} process${started > 1 ? 'es' : ''} came`;
    if (this.#wanted !== undefined) return this.#wanted;
    return nowPressed && this.#mode !== 'burst' ? 'memory is short' : undefined;
  }

  /** @param {Sample} sample @param {string} reason */
  #goBurst(sample, reason) {
    this.#mode = 'burst';
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
    const { littlePages, littleShare, quietPasses, leastPasses, mostBurstMs } = this.#options;
    const burst = this.#burst;
    const passes = sample.fullScans - burst.fullScans;
    if (passes > 0) {
      const merged = sample.balance.mergedPages;
      const gained = merged - burst.merged;
      // Fewer are no rest either: pages split, or the figures were of processes that have ended.
      const little = Math.abs(gained) < Math.max(littlePages, littleShare * merged);
      burst.quiet = little ? burst.quiet + passes : 0;
      burst.passes += passes;
      burst.fullScans = sample.fullScans;
      burst.merged = merged;
    }
    const done = burst.quiet >= quietPasses && burst.passes >= leastPasses;
    const tooLong = sample.atMs - burst.sinceMs >= mostBurstMs;
    if (!done && !tooLong) return;
    const loss = this.#loss(sample);
    if (loss !== undefined) return this.#goOff(sample, loss, true);
    this.#mode = 'trickle';
    this.#reason = done
      ? `${burst.quiet} passes with little new`
      : `a burst of ${Math.round(mostBurstMs / 1000)} s is enough`;
    this.#window = { sinceMs: sample.atMs, cpuMs: sample.ksmdCpuMs ?? 0, failed: 0 };
  }

  /** @param {Sample} sample */
  #stepTrickle(sample) {
    const { windowMs, failingWindows, holdMs } = this.#options;
    const window = this.#window;
    const elapsedMs = sample.atMs - window.sinceMs;
    if (elapsedMs < windowMs) return;
    const cpuPercent =
      sample.ksmdCpuMs === undefined ? 0 : ((sample.ksmdCpuMs - window.cpuMs) / elapsedMs) * 100;
    const loss = this.#loss(sample);
    const why = loss ?? this.#tooDear(sample, cpuPercent);
    window.failed = why === undefined ? 0 : window.failed + 1;
    window.sinceMs = sample.atMs;
    window.cpuMs = sample.ksmdCpuMs ?? 0;
    if (why === undefined) this.#holdMs = holdMs;
    else if (window.failed >= failingWindows) this.#goOff(sample, why, loss !== undefined);
  }

  /** @param {Sample} sample @returns {string | undefined} why the metadata costs more than is saved */
  #loss({ balance }) {
    if (balance.mergedPages === 0) return 'nothing could be merged';
    if (balance.profitBytes < 0) return `the profit is ${balance.profitBytes} bytes`;
    if (balance.ratio > balance.ratioBound) {
      return `${balance.ratio.toFixed(0)} pages are tracked for one merged, over ${balance.ratioBound}`;
    }
    return undefined;
  }

  /** @param {Sample} sample @param {number} cpuPercent of one core @returns {string | undefined} */
  #tooDear({ balance }, cpuPercent) {
    const { mibPerCpuPercent, pressedFactor } = this.#options;
    const price = this.#pressed ? mibPerCpuPercent / pressedFactor : mibPerCpuPercent;
    const savedMib = balance.profitBytes / MIB;
    if (savedMib >= cpuPercent * price) return undefined;
    return `ksmd takes ${cpuPercent.toFixed(1)} % of a core to save ${savedMib.toFixed(1)} MiB`;
  }

  /** @param {Sample} sample @param {string} reason @param {boolean} unmerge */
  #goOff(sample, reason, unmerge) {
    this.#mode = 'off';
    this.#reason = reason;
    this.#unmerge = unmerge;
    this.#offUntilMs = sample.atMs + this.#holdMs;
    this.#holdMs = Math.min(this.#options.mostHoldMs, this.#holdMs * 2);
  }

  /** @param {'burst' | 'trickle'} mode @param {Sample} sample */
  #paceFor(mode, { balance }) {
    const { burstCpu, burstPassMs, trickleCpu, tricklePassMs, pressedFactor } = this.#options;
    if (mode === 'burst') {
      return this.#pace.for({ cpu: burstCpu, passMs: burstPassMs, pages: balance.rmapItems });
    }
    const factor = this.#pressed ? pressedFactor : 1;
    const passMs = tricklePassMs / factor;
    return this.#pace.for({ cpu: trickleCpu * factor, passMs, pages: balance.rmapItems });
  }
}
