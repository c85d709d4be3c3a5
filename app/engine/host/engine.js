/**
 * Starts, watches and stops workers and owns their mailboxes. It is the same for all engine kinds; each kind adds a
 * Launcher (see launcher.js).
 */
import { join } from 'node:path';
import { PitvError } from '../../errors.js';
import { checkOptions, checkValue, url } from '../../options.js';
import { checkLockSupport } from '../lock.js';
import { Mailbox, mailboxBytes } from '../mailbox/mailbox.js';
import { WorkerHandle } from './handle.js';
import { createOutputFilter, createOversizeLog, createWarningLog } from './log-warning.js';
import {
  SIZES_FIELDS,
  checkEngineOptions,
  checkStartOptions,
  checkStopOptions,
} from './options.js';
import { measureWorkers } from './process-worker.js';
import { shortenSlice } from './scheduler-slice.js';
import { Supervisor } from './supervisor.js';

/**
 * @typedef {import('./options.js').StartOptions} StartOptions
 * @typedef {import('./launcher.js').Launcher} Launcher
 * @typedef {import('./launcher.js').SharedMemory} SharedMemory
 */

/** Code of others gives way to pitv's own workers, also where there are no control groups. */
const LOCK_NICENESS = 5;
const MAX_NICENESS = 19;

export class Engine {
  #launcher;
  #options;
  /** Makes the engine that this one becomes; undefined when it is open. @type {(() => Promise<Engine>) | undefined} */
  #make;
  /** @type {Promise<void> | undefined} */
  #opened;
  /** @type {Supervisor | undefined} */
  #supervisor;
  /** @type {Set<WorkerHandle>} */
  #workers = new Set();
  /** @type {Map<Mailbox, SharedMemory>} */
  #mailboxes = new Map();
  #lastId = 0;
  #warnOversize = createOversizeLog();
  /** @type {Promise<void> | undefined} */
  #closed;
  /** @type {string | undefined} why createBestEngine() chose this engine, as a sentence */
  choice;

  /**
   * @param {Launcher} launcher
   * @param {import('./options.js').CheckedEngineOptions} options
   * @param {() => Promise<Engine>} [make] see lazyEngine()
   */
  constructor(launcher, options, make) {
    this.#launcher = launcher;
    this.#options = options;
    this.#make = make;
    if (!make) this.#run();
  }

  #run() {
    shortenSlice();
    this.#warnOversize = createOversizeLog(this.#options.log);
    const onPoll = this.#warnOversize;
    this.#supervisor = new Supervisor(this.#workers, this.limits, { onPoll });
  }

  /** Whether open() has resolved, or need not be called. */
  get isOpen() {
    return this.#make === undefined;
  }

  /** Opens an engine that opens when it is first used, see lazyEngine(). Others are open. @returns {Promise<void>} */
  open() {
    if (!this.#opened) {
      this.#opened = this.#become();
      this.#opened.catch(() => {}); // callers of open() and start() handle the error
    }
    return this.#opened;
  }

  /** Takes the place of the engine that #make() returns. */
  async #become() {
    if (!this.#make) return;
    const engine = await this.#make();
    engine.#supervisor?.close();
    this.#launcher = engine.#launcher;
    this.#options = engine.#options;
    this.choice = engine.choice;
    this.#make = undefined;
    this.#run();
  }

  /** @returns {import('./options.js').Limits} */
  get limits() {
    const { maxWorkers, readyTimeoutMs, hangMs, heapMb, memoryMb } = this.#options;
    return { maxWorkers, readyTimeoutMs, hangMs, heapMb, memoryMb };
  }

  /** 'thread', 'process', ... */
  get name() {
    return this.#launcher.name;
  }

  /** Starting and running workers, oldest first. */
  get workers() {
    return [...this.#workers];
  }

  /**
   * Creates a mailbox. Free it with freeMailbox().
   * @param {import('../mailbox/mailbox.js').MailboxSizes} sizes
   * @returns {Mailbox}
   * @throws {PitvError} PITV_OPTION_INVALID, PITV_MAILBOX_SIZE; PITV_NATIVE_FAILED when the kernel has no memory left
   */
  createMailbox(sizes) {
    checkOptions('sizes of a mailbox', SIZES_FIELDS, sizes);
    const shared = this.#launcher.share(mailboxBytes(sizes));
    const mailbox = Mailbox.create(shared.memory, sizes);
    this.#mailboxes.set(mailbox, shared);
    return mailbox;
  }

  /**
   * Frees a mailbox's shared memory. The mailbox stays readable, but empty. Idempotent.
   * @param {Mailbox} mailbox
   * @throws {PitvError} PITV_MAILBOX_BUSY while a worker uses it
   */
  freeMailbox(mailbox) {
    const user = this.#userOf(mailbox);
    if (user) {
      throw new PitvError('PITV_MAILBOX_BUSY', `Worker ${user.id} (${user.name}) still uses it.`);
    }
    const shared = this.#mailboxes.get(mailbox);
    if (!shared) return;
    this.#mailboxes.delete(mailbox);
    mailbox.detach();
    shared.free();
  }

  /** @param {Mailbox} mailbox */
  #userOf(mailbox) {
    return this.workers.find((worker) => worker.mailbox === mailbox);
  }

  /**
   * Starts a worker. Resolves when its module has loaded and its job has started.
   * The caller frees the mailbox: the last frame and checkpoint stay in it after the worker has ended. If the start
   * fails, a mailbox that start() created is freed.
   * @param {string | URL} moduleUrl absolute: file:, data: or node:
   * @param {StartOptions} [given]
   * @returns {Promise<WorkerHandle>}
   * @throws {PitvError} PITV_WORKER_FAILED: the module did not load or threw; PITV_WORKER_TIMEOUT: not ready in
   *   time; PITV_WORKER_STOPPED: stopped before it was ready; PITV_ENGINE_BUSY: maxWorkers workers are running;
   *   PITV_ENGINE_CLOSED; PITV_OPTION_INVALID; PITV_MAILBOX_SIZE; PITV_MAILBOX_INVALID; PITV_MAILBOX_BUSY;
   *   PITV_LOCK_UNSUPPORTED
   */
  async start(moduleUrl, given = {}) {
    const startedAt = performance.now();
    checkValue('start()', 'moduleUrl', url, moduleUrl);
    const options = checkStartOptions(given);
    if (!this.isOpen && !this.#closed) await this.open();
    const { maxWorkers } = this.limits;
    const { tickHz, checkpointTicks, lock } = options;
    const niceness = Math.min(MAX_NICENESS, options.niceness + (lock ? LOCK_NICENESS : 0));
    if (lock && !lock.bestEffort) {
      const lacking = `an engine whose workers are processes; this is ${this.name}`;
      checkLockSupport(this.#launcher.ownProcess ? undefined : lacking);
    }
    if (this.#closed) throw new PitvError('PITV_ENGINE_CLOSED', 'This engine has been closed.');
    if (this.#workers.size >= maxWorkers) {
      const sentence = `All ${maxWorkers} workers are taken; stop one first.`;
      throw new PitvError('PITV_ENGINE_BUSY', sentence);
    }
    const id = ++this.#lastId;
    const { log, inspectDir, rehearsal, strictFrames, output: onOutput } = this.#options;
    // A locked worker can neither read requests nor write answers.
    const inspectBase = lock
      ? undefined
      : inspectDir && join(inspectDir, `worker-${process.pid}-${id}`);
    const task = {
      inspectBase,
      moduleUrl: new URL(moduleUrl).href,
      options: options.options,
      tickHz,
      checkpointTicks,
      niceness,
      rehearsal,
      strictFrames,
      lock,
      output: onOutput !== undefined,
    };
    const mailbox = this.#mailboxFor(options);
    const handle = new WorkerHandle({
      id,
      startedAt,
      inspectBase,
      locked: lock !== undefined,
      tickHz,
      name: options.name,
      mailbox,
    });
    this.#workers.add(handle);
    handle.exited.then((exit) => {
      this.#workers.delete(handle);
      this.#warnOversize(handle);
      const level = exit.reason === 'done' || exit.reason === 'stopped' ? 'info' : 'warn';
      const { reason, code, signal, error } = exit;
      log?.[level](
        { worker: handle.id, name: handle.name, reason, code, signal, err: error },
        'worker ended',
      );
    });
    try {
      const shared = /** @type {SharedMemory} */ (this.#mailboxes.get(mailbox));
      const { name } = handle;
      const warn = createWarningLog(log, name, (sentence) => handle.warned(sentence));
      const output = createOutputFilter((text) => onOutput?.(name, text));
      handle.attach(() => this.#launcher.launch({ name, task, shared, warn, output }));
      await handle.whenReady(this.limits.readyTimeoutMs, options.signal);
      log?.info(
        { worker: handle.id, name: handle.name, pid: handle.pid, ...handle.startup },
        'worker ready',
      );
      return handle;
    } catch (error) {
      await handle.terminate('crashed');
      if (!options.mailbox) this.freeMailbox(mailbox);
      throw error;
    }
  }

  /** @param {StartOptions} options */
  #mailboxFor({ mailbox, sizes }) {
    if (!mailbox) {
      if (!sizes) throw new PitvError('PITV_MAILBOX_SIZE', 'start() needs sizes or a mailbox.');
      mailbox = this.createMailbox(sizes);
    } else if (!this.#mailboxes.has(mailbox)) {
      const sentence = 'This mailbox is not one of this engine, or freed.';
      throw new PitvError('PITV_MAILBOX_INVALID', sentence);
    } else if (this.#userOf(mailbox)) {
      throw new PitvError('PITV_MAILBOX_BUSY', 'Another worker still uses this mailbox.');
    }
    mailbox.resetWriter();
    return mailbox;
  }

  /**
   * @param {{memory?: boolean}} [options] memory: false leaves PSS, USS and RSS null, which take the kernel time to
   *   count; true by default
   * @returns {Promise<import('./launcher.js').WorkerStats[]>} of all running workers
   */
  stats({ memory = true } = {}) {
    return measureWorkers(this.workers, memory);
  }

  /**
   * Stops all workers and frees all mailboxes; never hangs. It may be called more than once; the earliest deadline
   * applies.
   * @param {{graceMs?: number}} [options] time for a last checkpoint, 0..600,000 ms; default 1,000
   * @throws {PitvError} PITV_OPTION_INVALID
   */
  async close(options = {}) {
    const { graceMs } = checkStopOptions('close()', options);
    if (this.#closed) for (const worker of this.workers) void worker.stop({ graceMs });
    this.#closed ??= (async () => {
      if (this.#opened) await this.#opened.catch(() => {});
      await Promise.all(this.workers.map((worker) => worker.stop({ graceMs })));
      this.#supervisor?.close();
      for (const mailbox of [...this.#mailboxes.keys()]) this.freeMailbox(mailbox);
      await this.#launcher.close?.();
    })();
    return this.#closed;
  }
}

/**
 * Makes an engine that opens when its first worker starts, or by open(). createMailbox() throws until then.
 * @param {string} name shown until then
 * @param {() => Promise<Engine>} make is called once; nothing else uses the engine that it returns
 */
export const lazyEngine = (name, make) =>
  new Engine(
    { name, ownProcess: false, share: notOpen, launch: notOpen },
    checkEngineOptions({}),
    make,
  );

const notOpen = () => {
  throw new TypeError('the engine is not open yet');
};
