/**
 * Drives ksmd: looks once a second at what is marked and what scanning brings, lets the policy
 * decide, and writes the settings. It leaves the machine as it found it: at stop(), after a crash at
 * the next start(), and at once when somebody else changes the settings, who then has them.
 */
import { EventEmitter } from 'node:events';
import { memoryState } from './machine.js';
import { nativeIfThere } from './native.js';
import { Policy } from './policy.js';
import { ProcessWatch } from './processes.js';
import { ControllerState, STATE_DIR } from './state.js';
import { SYSFS, balance, findKsmd, ksmdCpuMs, readCounters, readSettings } from './sysfs.js';

/**
 * @typedef {object} ControllerOptions
 * @property {string} [sysfs] @property {string} [proc]
 * @property {string} [stateDir] folder for the lock and the state; only root may write there
 * @property {number} [tickMs] 10..60,000; 1000 when left out
 * @property {number} [maxPageSharing] 2..: how many may share one page; as it is when left out. To
 *   change it the kernel has to give every merged page back first
 * @property {Partial<import('./policy.js').PolicyOptions>} [policy]
 * @property {(entry: LogEntry) => void} [log] every decision, with its figures
 *
 * @typedef {object} LogEntry
 * @property {'start' | 'recover' | 'mode' | 'yield' | 'fail' | 'stop'} event
 * @property {string} message @property {Record<string, unknown>} figures
 */

const TICK_MS = 1000;

/**
 * Events: 'mode' (LogEntry) on each change of mode; 'yield' (LogEntry) when it has given up control.
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
    this.#page = nativeIfThere()?.pageBytes ?? 4096;
  }

  /** Does it control ksmd now? */
  get running() {
    return this.#state !== undefined;
  }
  get mode() {
    return this.#policy.mode;
  }

  /**
   * Takes over: the lock, what an earlier controller left behind, and the settings.
   * @throws {import('./errors.js').KsmError} KSM_LOCKED, KSM_PERMISSION, KSM_UNSUPPORTED
   */
  start() {
    if (this.#state) return;
    readSettings(this.#sysfs);
    const state = ControllerState.open(this.#stateDir, this.#sysfs);
    try {
      const recovered = state.recover();
      if (recovered)
        this.#write('recover', 'put back what a controller that was killed left', recovered);
      const found = state.begin();
      this.#state = state;
      this.#write('start', 'in control of ksmd', { found });
    } catch (error) {
      this.#state = undefined;
      state.close();
      throw error;
    }
    this.#timer = setInterval(() => this.#safely(), this.#tickMs);
    this.#safely();
  }

  /** Restores the settings found and lets go. Synchronous, so that it can run when a process exits. */
  stop() {
    const state = this.#state;
    if (!state) return;
    this.#letGo();
    try {
      this.#write('stop', 'settings are as they were', state.restore());
    } finally {
      state.close();
    }
  }

  /**
   * A match begins, a program was loaded: scan fast for a while.
   * @param {string} reason for the log
   */
  burst(reason) {
    this.#policy.requestBurst(reason);
  }

  /** @returns {import('./policy.js').Sample} */
  sample() {
    const counters = readCounters(this.#sysfs);
    const { started, mergeable } = this.#watch.look();
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

  #safely() {
    try {
      this.#tick();
    } catch (error) {
      // A file that could not be read once; the next tick tries again. What was found stays known.
      this.#write(
        'fail',
        `this look failed: ${error instanceof Error ? error.message : error}`,
        {},
      );
    }
  }

  #tick() {
    const state = this.#state;
    if (!state) return;
    const foreign = state.foreignChanges();
    if (foreign.length > 0) return this.#yield(state, foreign);
    const sample = this.sample();
    const decision = this.#policy.decide(sample);
    const written = this.#carryOut(state, decision);
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

  /** @param {ControllerState} state @param {unknown} changes */
  #yield(state, changes) {
    this.#letGo();
    let outcome;
    try {
      outcome = state.restore();
    } finally {
      state.close();
    }
    const message = 'somebody else changed the settings: they have them from now on';
    this.emit('yield', this.#write('yield', message, { changes, ...outcome }));
  }

  #letGo() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#state = undefined;
  }

  /**
   * @param {ControllerState} state @param {import('./policy.js').Decision} decision
   * @returns {import('./sysfs.js').Settings} what was written
   */
  #carryOut(state, { pace, unmerge }) {
    if (pace) {
      return state.apply({
        advisor_mode: 'none', // two who set the pace are one too many
        smart_scan: '1', // pages that never merged are passed over for a while
        use_zero_pages: '1',
        pages_to_scan: String(pace.pagesToScan),
        sleep_millisecs: String(pace.sleepMs),
        run: '1',
        ...(this.#maxPageSharing && { max_page_sharing: String(this.#maxPageSharing) }),
      });
    }
    if (!state.touched) return {};
    // Somebody had ksmd running before: then it goes on as it did.
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
