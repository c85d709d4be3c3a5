/**
 * Drives ksmd. Once a second, it measures what is marked and merged, lets the policy decide, and writes the settings.
 * It restores the original settings at stop(), after a crash at the next start(), and when another program changes a
 * setting; that program's setting stays.
 */
import { EventEmitter } from 'node:events';
import { memoryState } from './machine.js';
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

/**
 * Drives ksmd. Emits 'mode' (LogEntry) at each change of mode, and 'yield' (LogEntry) when it gives up control.
 * @extends {EventEmitter}
 */
export class KsmController extends EventEmitter {
  #sysfs;
  #proc;
  #stateDir;
  #tickMs;
  #log;
  #maxPageSharing;
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
    const { sysfs = SYSFS, proc = '/proc', stateDir = STATE_DIR, tickMs, policy, log } = options;
    this.#sysfs = sysfs;
    this.#proc = proc;
    this.#stateDir = stateDir;
    this.#tickMs = tickMs ?? TICK_MS;
    this.#log = log ?? (() => {});
    this.#maxPageSharing = options.maxPageSharing;
    this.#policy = new Policy(policy);
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
    readSettings(this.#sysfs);
    const state = ControllerState.open(this.#stateDir, this.#sysfs);
    try {
      const recovered = state.recover();
      if (recovered)
        this.#write(
          'recover',
          'restored the original settings after a controller was killed',
          recovered,
        );
      const found = state.begin();
      this.#state = state;
      this.#write('start', 'in control of ksmd', { found });
    } catch (error) {
      this.#state = undefined;
      state.close();
      throw error;
    }
    this.#timer = setInterval(() => this.#tick(), this.#tickMs);
    this.#tick();
  }

  /** Restores the original settings and releases the lock. Synchronous, so that it works in an 'exit' listener. */
  stop() {
    const state = this.#state;
    if (!state) return;
    this.#release();
    try {
      this.#write('stop', 'restored the settings', state.restore());
    } finally {
      state.close();
    }
  }

  /**
   * Requests fast scanning for a while, for example after a program has loaded.
   * @param {string} reason for the log
   */
  burst(reason) {
    this.#policy.requestBurst(reason);
  }

  /** Reads the figures for the policy. @returns {import('./policy.js').Sample} */
  sample() {
    const counters = readCounters(this.#sysfs);
    const { started, mergeable } = this.#watch.poll();
    return {
      atMs: performance.now(),
      fullScans: counters.full_scans,
      balance: balance(counters, { pageBytes: this.#page }),
      pagesScanned: counters.pages_scanned,
      ksmdCpuMs: this.#ksmd === undefined ? undefined : ksmdCpuMs(this.#ksmd, this.#proc),
      started: started.length,
      mergeable,
      ...memoryState(this.#proc),
    };
  }

  #tick() {
    try {
      this.#step();
    } catch (error) {
      // A file could not be read. The next tick tries again.
      this.#write(
        'fail',
        `this tick failed: ${error instanceof Error ? error.message : error}`,
        {},
      );
    }
  }

  #step() {
    const state = this.#state;
    if (!state) return;
    const foreign = state.foreignChanges();
    if (foreign.length > 0) return this.#yield(state, foreign);
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

  /**
   * Gives up control because another program has changed settings.
   * @param {ControllerState} state @param {unknown} changes
   */
  #yield(state, changes) {
    this.#release();
    let outcome;
    try {
      outcome = state.restore();
    } finally {
      state.close();
    }
    const message = 'another program changed the settings, and controls ksmd from now on';
    this.emit('yield', this.#write('yield', message, { changes, ...outcome }));
  }

  #release() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#state = undefined;
  }

  /**
   * Writes the settings for a decision.
   * @param {ControllerState} state @param {import('./policy.js').Decision} decision
   * @returns {import('./sysfs.js').Settings} the changed settings
   */
  #apply(state, { pace, unmerge }) {
    if (pace) {
      return state.apply({
        advisor_mode: 'none', // the kernel's advisor would also set the pace
        smart_scan: '1', // skips for a while pages that have not merged
        use_zero_pages: '1',
        pages_to_scan: String(pace.pagesToScan),
        sleep_millisecs: String(pace.sleepMs),
        run: '1',
        ...(this.#maxPageSharing && { max_page_sharing: String(this.#maxPageSharing) }),
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
    this.#log(entry);
    return entry;
  }
}
