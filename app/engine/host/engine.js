/**
 * What all engines share on the main thread's side: mailboxes, starting, stopping, watching. An
 * engine of its own adds how memory is shared and how a worker is launched (see Launcher).
 */
import { join } from 'node:path';
import { PitvError } from '../../errors.js';
import { checkValue, url } from '../../options.js';
import { Mailbox, mailboxBytes } from '../mailbox/mailbox.js';
import { WorkerHandle } from './handle.js';
import { checkSizes, checkStartOptions, checkStopOptions } from './options.js';
import { shortenSlice } from './scheduler-slice.js';
import { Supervisor } from './supervisor.js';

/**
 * @typedef {object} EngineOptions
 * @property {import('pino').BaseLogger} [log] silent when left out
 * @property {number} [maxWorkers] workers that may run at once, 1..256; 64 when left out
 * @property {number} [readyTimeoutMs] how long a start may take; 30,000 when left out
 * @property {number} [hangMs] a running worker whose tick counter stands still for so long is ended;
 *   50..60,000, 600 when left out
 * @property {number} [heapMb] V8's old generation of one worker, 4..; 64 when left out
 * @property {number} [memoryMb] a worker that takes more than this is ended: heap and everything
 *   else (process: USS; thread: heap and buffers by its own account); 8..; 256, or a quarter of the
 *   machine's memory if that is less
 * @property {(string | URL)[]} [modules] job modules that an engine may load ahead, and have warm up
 *   if their default export has a warm() (zygote)
 * @property {boolean} [thorough] createEngine() resolves only when all that can be done ahead is done;
 *   else that goes on behind the first workers (zygote)
 * @property {(spawn: import('./process-worker.js').SpawnOptions) => import('./process-worker.js').SpawnOptions} [spawn]
 *   changes how the process engine spawns
 * @property {import('../worker/run.js').Rehearsal} [rehearsal] each worker does one before its job
 * @property {boolean} [strictFrames] a worker whose job writes a frame that is longer than its mailbox has
 *   room for is ended with an error, rather than the frame being cut and the log saying so; true when
 *   left out if NODE_ENV is `development`, else false
 * @property {string} [inspectDir] a directory for the owner only, through which workers are asked for
 *   profiles (inspect/ask.js)
 *
 * @typedef {object} StartOptions
 * @property {string} [name] for logs and for the process list, up to 64 characters; 'worker' when left out
 * @property {import('../mailbox/mailbox.js').MailboxSizes} [sizes] needed without `mailbox`
 * @property {Mailbox} [mailbox] one of this engine's, of a worker that ended: the new one goes on
 *   from its newest checkpoint
 * @property {unknown} [options] for the module's start(); structured-clonable
 * @property {number} [tickHz] 1..1000; 60 when left out
 * @property {number} [checkpointTicks] a checkpoint every so many ticks, 1..; 15 when left out
 * @property {number} [niceness] 0..19; 5 when left out
 * @property {AbortSignal} [signal] ends the worker at once, started or not
 *
 * @typedef {object} SharedMemory
 * @property {ArrayBuffer | SharedArrayBuffer} memory zeroed
 * @property {number} [fd] what another process maps it by
 * @property {() => void} free
 *
 * @typedef {object} Launch one thread or process
 * @property {number} pid
 * @property {number} threadId 0: the process's main thread
 * @property {Promise<{tid?: number}>} ready rejects with what went wrong
 * @property {Promise<LaunchEnd>} ended never rejects; from then on nothing of it touches the mailbox
 * @property {() => void} kill ends it at once; idempotent
 *
 * @typedef {object} LaunchEnd
 * @property {number | null} code
 * @property {NodeJS.Signals | null} signal
 * @property {Error} [error]
 * @property {boolean} [outOfMemory]
 *
 * @typedef {object} LaunchRequest
 * @property {string} name
 * @property {import('../worker/run.js').Task} task
 * @property {SharedMemory} shared
 *
 * @typedef {object} WorkerStats
 * @property {number} id
 * @property {string} name
 * @property {number} pid
 * @property {number} threadId
 * @property {number | null} pssKib proportional set size of the worker's process; null: can't be told
 * @property {number | null} ussKib
 * @property {number | null} rssKib
 * @property {number} cpu percent of one core since the last time stats were asked for
 * @property {number} cpuMs since the worker started
 * @property {number} heapKib heap and buffers by the worker's own account
 * @property {number} ticks
 * @property {number} lateTicks
 * @property {number} stepMicros the last step
 * @property {number} stepMicrosMax the longest step since the last time stats were asked for
 *
 * @typedef {object} Launcher what an engine's file defines
 * @property {string} name
 * @property {boolean} ownProcess is every worker a process of its own?
 * @property {(bytes: number) => SharedMemory} share
 * @property {(request: LaunchRequest) => Launch} launch
 * @property {(workers: WorkerHandle[]) => Promise<WorkerStats[]>} stats
 * @property {() => Promise<void>} [close]
 */

export class Engine {
  #launcher;
  #log;
  #rehearsal;
  #options;
  #supervisor;
  /** @type {Set<WorkerHandle>} */
  #workers = new Set();
  /** @type {Map<Mailbox, SharedMemory>} */
  #mailboxes = new Map();
  #lastId = 0;
  /** Workers for which the log has said that a frame, or a checkpoint, was too long. */
  #reported = {
    /** @type {WeakSet<WorkerHandle>} */
    frame: new WeakSet(),
    /** @type {WeakSet<WorkerHandle>} */
    checkpoint: new WeakSet(),
  };
  /** @type {Promise<void> | undefined} */
  #closed;
  /** @type {string | undefined} why it is this one, for people; when the best one was asked for */
  choice;

  /** @param {Launcher} launcher @param {import('./options.js').CheckedEngineOptions} options */
  constructor(launcher, options) {
    shortenSlice();
    this.#launcher = launcher;
    this.#log = options.log;
    this.#options = options;
    this.#rehearsal = options.rehearsal;
    const { maxWorkers, readyTimeoutMs, hangMs, heapMb, memoryMb } = options;
    /** @type {import('./options.js').Limits} */
    this.limits = { maxWorkers, readyTimeoutMs, hangMs, heapMb, memoryMb };
    this.#supervisor = new Supervisor(this.#workers, this.limits, launcher.ownProcess, {
      onPoll: (worker) => this.#reportOversized(worker),
    });
  }

  /** 'thread', 'process', ... */
  get name() {
    return this.#launcher.name;
  }

  /** Workers that start or run, in the order in which they were started. */
  get workers() {
    return [...this.#workers];
  }

  /**
   * @param {import('../mailbox/mailbox.js').MailboxSizes} sizes
   * @returns {Mailbox} to be given back with freeMailbox()
   * @throws {PitvError} PITV_OPTION_INVALID, PITV_MAILBOX_SIZE; PITV_NATIVE_FAILED when the kernel has no memory for it
   */
  createMailbox(sizes) {
    checkSizes(sizes);
    const shared = this.#launcher.share(mailboxBytes(sizes));
    const mailbox = Mailbox.create(shared.memory, sizes);
    this.#mailboxes.set(mailbox, shared);
    return mailbox;
  }

  /**
   * Gives the shared memory back. The mailbox stays readable, but empty. Idempotent.
   * @param {Mailbox} mailbox
   * @throws {PitvError} PITV_MAILBOX_BUSY while a worker has it
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
   * Starts a worker; resolves when its module has loaded and its job is there.
   * The mailbox is the caller's to free, also after the worker ended: its last frame and its
   * checkpoint are still in it. When the start fails, one that was made here is freed here.
   * @param {string | URL} moduleUrl absolute: file:, data: or node:
   * @param {StartOptions} [given]
   * @returns {Promise<WorkerHandle>}
   * @throws {PitvError} PITV_WORKER_FAILED: did not load or threw; PITV_WORKER_TIMEOUT: not ready in
   *   time; PITV_WORKER_STOPPED: stopped before it was ready; PITV_ENGINE_BUSY: all workers taken;
   *   PITV_ENGINE_CLOSED; PITV_OPTION_INVALID; PITV_MAILBOX_SIZE; PITV_MAILBOX_BUSY
   */
  async start(moduleUrl, given = {}) {
    const { maxWorkers } = this.limits;
    checkValue('start()', 'moduleUrl', url, moduleUrl);
    const options = checkStartOptions(given);
    const { tickHz, checkpointTicks, niceness } = options;
    if (this.#closed) throw new PitvError('PITV_ENGINE_CLOSED', 'This engine has been closed.');
    if (this.#workers.size >= maxWorkers) {
      throw new PitvError(
        'PITV_ENGINE_BUSY',
        `All ${maxWorkers} workers are taken; stop one first.`,
      );
    }
    const id = ++this.#lastId;
    const { inspectDir, strictFrames } = this.#options;
    const inspectBase = inspectDir && join(inspectDir, `worker-${process.pid}-${id}`);
    const task = {
      inspectBase,
      moduleUrl: new URL(moduleUrl).href,
      options: options.options,
      tickHz,
      checkpointTicks,
      niceness,
      rehearsal: this.#rehearsal,
      strictFrames,
    };
    const mailbox = this.#mailboxFor(options);
    const handle = new WorkerHandle({
      id,
      inspectBase,
      name: options.name,
      mailbox,
      stats: (worker) => this.#launcher.stats([worker]).then(([stats]) => stats),
    });
    this.#workers.add(handle);
    handle.exited.then((exit) => {
      this.#workers.delete(handle);
      this.#reportOversized(handle);
      const level = exit.reason === 'done' || exit.reason === 'stopped' ? 'info' : 'warn';
      const { reason, code, signal, error } = exit;
      this.#log?.[level](
        { worker: handle.id, name: handle.name, reason, code, signal, err: error },
        'worker ended',
      );
    });
    try {
      const shared = /** @type {SharedMemory} */ (this.#mailboxes.get(mailbox));
      handle.attach(() => this.#launcher.launch({ name: handle.name, task, shared }));
      await handle.whenReady(this.limits.readyTimeoutMs, options.signal);
      this.#log?.info(
        { worker: handle.id, name: handle.name, pid: handle.pid, ...handle.startup },
        'worker ready',
      );
      return handle;
    } catch (error) {
      await handle.end('crashed');
      if (!options.mailbox) this.freeMailbox(mailbox);
      throw error;
    }
  }

  /** Logs once per worker that a frame or a checkpoint did not fit. @param {WorkerHandle} worker */
  #reportOversized(worker) {
    const { oversizedFrame, oversizedCheckpoint, sizes } = worker.mailbox;
    const about = { worker: worker.id, name: worker.name };
    if (oversizedFrame !== 0 && !this.#reported.frame.has(worker)) {
      this.#reported.frame.add(worker);
      this.#log?.warn(
        { ...about, bytes: oversizedFrame, frameBytes: sizes.frameBytes },
        'a frame was longer than the mailbox has room for and was cut; give the worker a larger frameBytes',
      );
    }
    if (oversizedCheckpoint !== 0 && !this.#reported.checkpoint.has(worker)) {
      this.#reported.checkpoint.add(worker);
      this.#log?.warn(
        { ...about, bytes: oversizedCheckpoint, checkpointBytes: sizes.checkpointBytes },
        'a checkpoint was longer than the mailbox has room for and was dropped; give the worker a larger checkpointBytes',
      );
    }
  }

  /** @param {StartOptions} options */
  #mailboxFor({ mailbox, sizes }) {
    if (!mailbox) {
      if (!sizes) throw new PitvError('PITV_MAILBOX_SIZE', 'start() needs sizes or a mailbox.');
      mailbox = this.createMailbox(sizes);
    } else if (!this.#mailboxes.has(mailbox)) {
      throw new PitvError(
        'PITV_MAILBOX_INVALID',
        'This mailbox is not one of this engine, or freed.',
      );
    } else if (this.#userOf(mailbox)) {
      throw new PitvError('PITV_MAILBOX_BUSY', 'Another worker still uses this mailbox.');
    }
    mailbox.resetWriter();
    return mailbox;
  }

  /** @returns {Promise<WorkerStats[]>} of all running workers */
  stats() {
    return this.#launcher.stats(this.workers);
  }

  /**
   * Stops all workers and frees all mailboxes. Idempotent; never hangs.
   * @param {{graceMs?: number}} [options] how long the workers have for a last checkpoint, 0..600,000;
   *   1,000 when left out
   * @throws {PitvError} PITV_OPTION_INVALID
   */
  async close(options = {}) {
    const { graceMs } = checkStopOptions('close()', options);
    this.#closed ??= (async () => {
      await Promise.all(this.workers.map((worker) => worker.stop({ graceMs })));
      this.#supervisor.close();
      for (const mailbox of [...this.#mailboxes.keys()]) this.freeMailbox(mailbox);
      await this.#launcher.close?.();
    })();
    return this.#closed;
  }
}
