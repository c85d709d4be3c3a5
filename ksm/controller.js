/**
 * Drives ksmd. Once a second, it measures what is marked and merged, lets the policy decide, and writes the settings.
 * It restores the original settings at stop(), after a crash at the next start(), and when another program changes a
 * setting; that program's setting stays.
 */
import { EventEmitter } from 'node:events';
import { memoryState } from './proc.js';
import { tryNative } from './native.js';
import { Policy } from './policy.js';
import { ProcessWatch } from './processes.js';
import { ControllerState, STATE_DIR } from './state.js';
import { SYSFS, balance, findKsmd, ksmdCpuMs, readCounters, readSettings } from './sysfs.js';

/**
 * @typedef {object} ControllerOptions
 * @property {string} [sysfs] @property {string} [proc]
 * @property {string} [stateDir] folder for the lock and the state; only root may write there
 * @property {number} [tickMs] 10..60,000; default 1000
 * @property {number} [maxPageSharing] maximum sharers of a page, at least 2; unchanged by default. To change it, the
 *   kernel has to split every merged page first
 * @property {Partial<import('./policy.js').PolicyOptions>} [policy]
 * @property {(entry: LogEntry) => void} [log] is called with every decision and its figures
 *
 * @typedef {object} LogEntry
 * @property {'start' | 'recover' | 'mode' | 'yield' | 'fail' | 'stop'} event
 * @property {string} message @property {Record<string, unknown>} figures
 */

const TICK_MS = 1000;

/** Drives ksmd. Emits 'mode' (LogEntry) at each change of mode, 'yield' (LogEntry) when it gives up control. */
export class KsmController extends EventEmitter {
  #options;
  #policy;
  #watch;
  #ksmd;
  #page;
  /** @type {ControllerState | undefined} */
  #state;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {ControllerOptions} [options] */
  constructor(options = {}) {
    super();
    const { sysfs = SYSFS, proc = '/proc', stateDir = STATE_DIR, tickMs = TICK_MS } = options;
    this.#options = { ...options, sysfs, proc, stateDir, tickMs };
    this.#policy = new Policy(options.policy);
    this.#watch = new ProcessWatch(proc);
    this.#ksmd = findKsmd(proc);
    this.#page = tryNative()?.pageBytes ?? 4096;
  }

  /** Whether it is driving ksmd. */
  get running() {
    return this.#state !== undefined;
  }
  get mode() {
    return this.#policy.mode;
  }

  /**
   * Takes the lock, restores the original settings if a controller was killed, and starts to drive ksmd.
   * @throws {import('./errors.js').KsmError} KSM_LOCKED, KSM_PERMISSION, KSM_UNSUPPORTED
   */
  start() {
    if (this.#state) return;
    const { stateDir, sysfs, tickMs } = this.#options;
    readSettings(sysfs);
    const state = ControllerState.open(stateDir, sysfs);
    try {
      const recovered = state.recover();
      const message = 'restored the original settings after a controller was killed';
      if (recovered) this.#write('recover', message, recovered);
      const found = state.begin();
      this.#state = state;
      this.#write('start', 'in control of ksmd', { found });
    } catch (error) {
      this.#state = undefined;
      state.close();
      throw error;
    }
    this.#timer = setInterval(() => this.#tick(), tickMs);
    this.#tick();
  }

  /** Restores the original settings and releases the lock. Synchronous, so that it works in an 'exit' listener. */
  stop() {
    if (this.#state) this.#write('stop', 'restored the settings', this.#release(this.#state));
  }

  /** Reads the figures for the policy. @returns {import('./policy.js').Sample} */
  sample() {
    const { sysfs, proc } = this.#options;
    const counters = readCounters(sysfs);
    const { started, mergeable } = this.#watch.poll();
    return {
      atMs: performance.now(),
      fullScans: counters.full_scans,
      balance: balance(counters, { pageBytes: this.#page }),
      pagesScanned: counters.pages_scanned,
      ksmdCpuMs: this.#ksmd === undefined ? undefined : ksmdCpuMs(this.#ksmd, proc),
      started: started.length,
      mergeable,
      ...memoryState(proc),
    };
  }

  #tick() {
    try {
      this.#step();
    } catch (error) {
      // A file could not be read. The next tick tries again.
      const message = error instanceof Error ? error.message : error;
      this.#write('fail', `this tick failed: ${message}`, {});
    }
  }

  #step() {
    const state = this.#state;
    if (!state) return;
    const changes = state.foreignChanges();
    if (changes.length > 0) {
      const message = 'another program changed the settings, and controls ksmd from now on';
      const figures = { changes, ...this.#release(state) };
      this.emit('yield', this.#write('yield', message, figures));
      return;
    }
    const sample = this.sample();
    const decision = this.#policy.decide(sample);
    const written = this.#apply(state, decision);
    if (!decision.changed) return;
    const entry = this.#write('mode', `${decision.mode}: ${decision.reason}`, {
      ...sample.balance,
      pressed: decision.pressed,
      mergeable: sample.mergeable,
      ksmdCpuMs: sample.ksmdCpuMs,
      written,
    });
    this.emit('mode', entry);
  }

  /** Restores the settings and gives up control. @param {ControllerState} state */
  #release(state) {
    clearInterval(this.#timer);
    this.#state = undefined;
    try {
      return state.restore();
    } finally {
      state.close();
    }
  }

  /**
   * Writes the settings for a decision.
   * @param {ControllerState} state @param {import('./policy.js').Decision} decision
   * @returns {import('./sysfs.js').Settings} the changed settings
   */
  #apply(state, { pace, unmerge }) {
    const { maxPageSharing } = this.#options;
    if (pace) {
      return state.apply({
        advisor_mode: 'none', // the kernel's advisor would also set the pace
        smart_scan: '1', // skips for a while pages that have not merged
        use_zero_pages: '1',
        pages_to_scan: String(pace.pagesToScan),
        sleep_millisecs: String(pace.sleepMs),
        run: '1',
        ...(maxPageSharing && { max_page_sharing: String(maxPageSharing) }),
      });
    }
    if (!state.touched) return {};
    // If ksmd was running before, it continues with its original settings.
    if (state.found?.run === '1') return state.restore().restored;
    return state.apply({ run: unmerge ? '2' : '0' });
  }

  /** @param {LogEntry['event']} event @param {string} message @param {Record<string, unknown>} figures */
  #write(event, message, figures) {
    const entry = { event, message, figures };
    this.#options.log?.(entry);
    return entry;
  }
}
