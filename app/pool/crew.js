/** The workers of a pool: starts, chooses and ends them. scheduler.js decides which tasks they get. */
import { isShortage } from '../errors.js';
import { PoolWorker } from './host/pool-worker.js';
import { RING_BYTES } from './transport/layout.js';

/** How long no other worker is started after one could not be. */
const SHORTAGE_MS = 1000;

export class Crew {
  #options;
  #kind;
  #scheduler;
  #notify;
  /** @type {Set<PoolWorker>} */
  #workers = new Set();
  /** Ends of all workers, also of those that are not used any more. @type {Set<Promise<void>>} */
  #ends = new Set();
  #draining = false;
  #referenced = false;
  #closed = false;
  /** Runs while this machine cannot start another worker. @type {NodeJS.Timeout | undefined} */
  #shortage;
  /** @type {Promise<void> | undefined} */
  #closing;

  /**
   * @param {import('./options.js').CheckedPoolOptions} options
   * @param {import('./host/kind.js').OpenKind} openKind
   * @param {import('./scheduler.js').Scheduler} scheduler @param {import('./scheduler.js').Notify} notify
   */
  constructor(options, openKind, scheduler, notify) {
    this.#options = options;
    this.#scheduler = scheduler;
    this.#notify = notify;
    this.#kind = openKind(options, () => this.#drain());
    try {
      this.#startMinimum();
    } catch (error) {
      this.stop();
      for (const worker of this.#workers) this.remove(worker);
      void this.close();
      throw error;
    }
  }

  /** @returns {ReadonlySet<PoolWorker>} */
  get workers() {
    return this.#workers;
  }
  get arena() {
    return this.#closing ? undefined : this.#kind.arena;
  }
  /** Whether another worker may be started. */
  get mayGrow() {
    const { size } = this.#workers;
    return !this.#closed && size < this.#options.maxThreads && !(this.#shortage && size > 0);
  }

  /** Starts workers up to the minimum. If one cannot be started, 'error' is emitted. */
  startMinimum() {
    try {
      this.#startMinimum();
    } catch (error) {
      this.#notify('error', error);
    }
  }

  /** @throws {unknown} see start() */
  #startMinimum() {
    while (!this.#closed && this.#workers.size < this.#options.minThreads) {
      this.start();
    }
  }

  /** @returns {PoolWorker} a worker that starts @throws {unknown} when the worker cannot be started */
  start() {
    const { filename, name, concurrentTasksPerWorker, atomics, niceIncrement, workerData } =
      this.#options;
    const start = {
      ringBytes: RING_BYTES,
      filename,
      name,
      concurrency: concurrentTasksPerWorker,
      blocks: atomics === 'sync',
      niceIncrement,
      workerData,
    };
    const onMessage = (/** @type {any} */ message) => this.#notify('message', message);
    const launch = this.#kind.launch({ start, onMessage });
    const worker = new PoolWorker(
      launch,
      this.arena,
      this.#scheduler,
      this.#options.workerHistogram,
    );
    this.#workers.add(worker);
    worker.arm();
    const end = worker.ended
      .then((about) => this.#onEnd(worker, about))
      .finally(() => this.#ends.delete(end));
    this.#ends.add(end);
    queueMicrotask(() => this.#notify('workerCreate', worker.view));
    return worker;
  }

  /** @returns {PoolWorker | undefined} undefined: there may be no more, or not now @throws {unknown} see start() */
  grow() {
    if (!this.mayGrow) return undefined;
    try {
      return this.start();
    } catch (error) {
      if (this.pauseStarts(error)) return undefined;
      throw error;
    }
  }

  /**
   * Starts no other worker for a while if one did not start for want of descriptors, processes or memory while others
   * run, which take its tasks.
   * @param {unknown} error why it did not start
   * @returns {boolean} whether starts are paused
   */
  pauseStarts(error) {
    if (this.#workers.size === 0 || !isShortage(error)) return false;
    this.#shortage ??= setTimeout(() => {
      this.#shortage = undefined;
      this.#scheduler.dispatch();
    }, SHORTAGE_MS).unref();
    return true;
  }

  /**
   * Chooses a worker for a task.
   * @param {import('./task.js').Task} task
   * @returns {PoolWorker | undefined} an idle worker, or the least busy one that may share; undefined: all are busy
   */
  choose(task) {
    const { concurrentTasksPerWorker, loadBalancer } = this.#options;
    if (loadBalancer) {
      const views = [...this.#workers].map((worker) => worker.view);
      const view = loadBalancer(task.view, views);
      return [...this.#workers].find((worker) => worker.view === view);
    }
    let least = task.isAbortable ? 1 : concurrentTasksPerWorker;
    let chosen;
    let starting;
    let shared; // by tasks that wait until it is ready
    for (const worker of this.#workers) {
      const { usage } = worker;
      if (!worker.ready) {
        if (usage === 0) starting ??= worker;
        else if (usage < least && !this.mayGrow) shared ??= worker;
      } else if (usage < least) {
        chosen = worker;
        least = usage;
        if (usage === 0) break;
      }
    }
    return chosen ?? starting ?? shared;
  }

  /** Ends a worker if it stays idle. @param {PoolWorker} worker */
  retireIdle(worker) {
    if (worker.tasks.size > 0) return;
    worker.trimLater();
    const { idleTimeout, minThreads } = this.#options;
    if (idleTimeout === Infinity || this.#workers.size <= minThreads || !worker.ready) return;
    clearTimeout(worker.idleTimer);
    worker.idleTimer = setTimeout(() => {
      const ready = [...this.#workers].filter((one) => one.ready); // others may not be able to start
      if (worker.tasks.size === 0 && ready.length > minThreads) this.remove(worker);
    }, idleTimeout).unref();
  }

  /** Ends a worker at once. Its tasks are those of the caller. @param {PoolWorker} worker */
  remove(worker) {
    if (!this.#workers.delete(worker)) return;
    worker.kill();
    this.#notify('workerDestroy', worker.view);
  }

  /** @param {PoolWorker} worker @param {import('./host/kind.js').LaunchEnd} end */
  #onEnd(worker, end) {
    worker.drain(); // what it has sent before it died
    const isUnexpected = this.#workers.delete(worker);
    if (isUnexpected) this.#notify('workerDestroy', worker.view);
    worker.ending = true;
    this.#scheduler.onEnd(worker, { ...end, error: worker.failure ?? end.error });
    worker.free();
  }

  /** Receives from all workers until each of them will wake this side for more. */
  #drain() {
    if (this.#draining || this.#closed) return;
    this.#draining = true;
    let armed;
    do {
      armed = true;
      for (const worker of this.#workers) {
        worker.drain();
        if (!worker.arm()) armed = false;
      }
    } while (!armed);
    this.#draining = false;
    this.#scheduler.settle();
  }

  /**
   * Keeps this process alive, or lets it end. Without effect from close() on, which keeps it alive.
   * @param {boolean} referenced
   */
  keepAlive(referenced) {
    if (!this.#closing) this.#setReferenced(referenced);
  }

  /** @param {boolean} referenced */
  #setReferenced(referenced) {
    if (this.#referenced === referenced) return;
    this.#referenced = referenced;
    this.#kind.keepAlive(referenced);
  }

  /** Starts no more workers. */
  stop() {
    this.#closed = true;
  }

  /** Waits until all workers have ended. remove() them before. @returns {Promise<void>} */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    this.#setReferenced(true);
    await Promise.all(this.#ends);
    this.#setReferenced(false);
    await this.#kind.close();
  }
}
