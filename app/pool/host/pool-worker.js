/** One worker of a pool, as the pool sees it: sends tasks, receives results. */
import { createHistogram } from 'node:perf_hooks';
import * as clones from '../clones.js';
import { record, summarize } from '../meter.js';
import { useClones } from '../transport/codec.js';
import { CONTROL, KIND, NO_TASK, RUNNING, WAITING } from '../transport/layout.js';
import { LARGE_BYTES, trimFreedBlocks } from '../transport/views.js';
import { Receiver, Sender } from '../transport/messages.js';
import { restoreThrown } from '../thrown-errors.js';

/**
 * After a large message, the memory that it used is returned to the system when the worker has been idle for a while.
 */
const TRIM_IDLE_MS = 1000;

useClones(clones);

/** @typedef {import('../task.js').Task} Task */
/** @typedef {import('../types.js').WorkerView} WorkerView */

/**
 * Returns a worker as load balancers and listeners of workerCreate see it.
 * @param {PoolWorker} worker @returns {WorkerView}
 */
const createView = (worker) => ({
  get id() {
    return worker.id;
  },
  get currentUsage() {
    return worker.usage;
  },
  get isRunningAbortableTask() {
    return worker.usage === Infinity;
  },
  get histogram() {
    return worker.histogram ? summarize(worker.histogram) : null;
  },
  get terminating() {
    return worker.ending;
  },
  get destroyed() {
    return worker.ending;
  },
});

export class PoolWorker {
  ready = false;
  /** It will be, or has been, ended. */
  ending = false;
  /** kill() was called. */
  killed = false;
  /** Tasks that the worker runs. @type {Map<number, Task>} */
  tasks = new Map();
  /** The task in the ring that the worker is not to run yet. @type {Task | undefined} */
  ahead;
  /** The error that ends the worker, as the worker has reported it. @type {any} */
  failure;
  /** @type {NodeJS.Timeout | undefined} */
  idleTimer;
  /** @type {import('node:perf_hooks').RecordableHistogram | undefined} */
  histogram;
  view = createView(this);
  #launch;
  #sender;
  #receiver;
  #scheduler;
  /** @type {Map<string, number>} functions by file and name */
  #handlers = new Map();
  /** Length of the longest message since the last trim. */
  #largest = 0;
  /** @type {NodeJS.Timeout | undefined} */
  #trimTimer;

  /**
   * @param {import('./kind.js').Launch} launch
   * @param {import('../transport/arena.js').Arena | undefined} arena
   * @param {import('../scheduler.js').Scheduler} scheduler @param {boolean} hasHistogram
   */
  constructor(launch, arena, scheduler, hasHistogram) {
    this.#launch = launch;
    this.#scheduler = scheduler;
    if (hasHistogram) this.histogram = createHistogram();
    const { requests, responses } = launch.rings;
    const wakeReader = (/** @type {number} */ how) => {
      if (how === WAITING.blocked) launch.wakeBlocked(requests.control, CONTROL.reader);
      else launch.wakeLoop();
    };
    this.#sender = new Sender(requests, wakeReader, arena, launch.values);
    const wakeWriter = () => launch.wakeBlocked(responses.control, CONTROL.writer);
    this.#receiver = new Receiver(responses, wakeWriter, arena, launch.values);
  }

  get id() {
    return this.#launch.threadId || this.#launch.pid;
  }
  get handle() {
    return this.#launch.handle;
  }
  get ended() {
    return this.#launch.ended;
  }

  /** Running tasks; Infinity if one of them may have to be ended by force. */
  get usage() {
    if (this.tasks.size !== 1) return this.tasks.size;
    for (const task of this.tasks.values()) if (task.isAbortable) return Infinity;
    return 1;
  }

  /**
   * Sends a task.
   * @param {Task} task @param {boolean} ahead the worker is not to run it yet
   * @throws {unknown} when its value cannot be cloned
   */
  post(task, ahead) {
    const handler = this.#handlerOf(task);
    task.place = this.#sender.send(KIND.task, task.id, handler, task.value, task.transfers);
    this.#largest = Math.max(this.#largest, this.#sender.bytes);
    task.worker = this;
    if (ahead) this.ahead = task;
    else this.tasks.set(task.id, task);
  }

  /** Returns the number of a task's function. The worker gets its name before the first task. @param {Task} task */
  #handlerOf({ filename, name }) {
    const key = `${name} ${filename}`;
    const known = this.#handlers.get(key);
    if (known !== undefined) return known;
    const number = this.#handlers.size;
    this.#handlers.set(key, number);
    this.#sender.send(KIND.handler, 0, number, Buffer.from(JSON.stringify({ filename, name })));
    return number;
  }

  /**
   * Takes back a task that the worker has not claimed.
   * @param {Task} task @returns {boolean} false: the worker runs it or has run it
   */
  revoke(task) {
    const { place, id } = task;
    const isTaken = place ? this.#sender.revoke(place) : this.ending && this.#sender.isUnsent(id);
    if (!isTaken) return false;
    this.#forget(task);
    return true;
  }

  /**
   * Decides whether the worker has to be ended because of a task that cannot be taken back. The worker and this side
   * decide it by one atomic operation, so a worker that is to be ended has begun no other task.
   * @param {Task} task
   * @returns {boolean} true: the worker runs it. false: it has ended it, or has not begun it
   */
  stop(task) {
    if (this.tasks.size > 1) return true; // a load balancer has chosen a worker that is busy
    const { control } = this.#launch.rings.requests;
    const was = Atomics.compareExchange(control, CONTROL.running, task.id, RUNNING.stopped);
    return was === task.id;
  }

  /**
   * Does the same as stop(), and has the worker skip the task if it has not begun it.
   * @param {Task} task @returns {boolean}
   */
  cancel(task) {
    Atomics.store(this.#launch.rings.requests.control, CONTROL.cancelled, task.id);
    return this.stop(task);
  }

  /** @param {Task} task */
  #forget(task) {
    this.tasks.delete(task.id);
    if (this.ahead === task) this.ahead = undefined;
    task.worker = undefined;
  }

  /** Counts the task that the worker has ahead as running. @returns {Task | undefined} */
  promote() {
    const task = this.ahead;
    this.ahead = undefined;
    if (task) this.tasks.set(task.id, task);
    return task;
  }

  /** Receives what the worker has sent. */
  drain() {
    try {
      while (this.#receiver.next()) this.#receive();
      if (this.#sender.full) this.#sender.flush();
    } catch (error) {
      this.#scheduler.replace(this, () => /** @type {Error} */ (error));
    }
  }

  /** Waits for the event loop to be woken. @returns {boolean} false: there is something to receive */
  arm() {
    return this.ending || this.#receiver.awaitRecord(WAITING.eventLoop);
  }

  #receive() {
    const receiver = this.#receiver;
    const { kind, id } = receiver;
    if (kind === KIND.ready) {
      receiver.free();
      this.ready = true;
      this.#launch.onReady?.();
      this.#scheduler.onReady(this);
      return;
    }
    const value = receiver.decode();
    this.#largest = Math.max(this.#largest, receiver.bytes);
    receiver.free();
    const error = kind === KIND.failure ? restoreThrown(value) : value;
    if (id === NO_TASK) {
      this.failure = error;
      return;
    }
    if (this.ahead?.id === id) this.#scheduler.promote(this); // the task before it was taken back
    const task = this.tasks.get(id);
    if (!task) return; // it was aborted
    this.#forget(task);
    if (kind === KIND.result) task.resolve(value);
    else task.reject(error);
    if (this.histogram) record(this.histogram, performance.now() - task.started);
    this.#scheduler.onDone(this, task);
  }

  /** Returns memory to the system if the worker stays idle after a long message. */
  trimLater() {
    if (this.#largest < LARGE_BYTES || this.#trimTimer || !this.#launch.trim) return;
    this.#trimTimer = setTimeout(() => {
      this.#trimTimer = undefined;
      if (this.tasks.size > 0 || !this.#sender.empty || this.ending) return;
      this.#largest = 0;
      this.#launch.trim?.();
      trimFreedBlocks();
      if (!this.#launch.values) this.#sender.send(KIND.trim, 0, 0);
    }, TRIM_IDLE_MS).unref();
  }

  /** Ends the worker at once. Its tasks are those of the caller. */
  kill() {
    if (!this.ending) this.#launch.kill();
    this.ending = this.killed = true;
    clearTimeout(this.idleTimer);
  }

  /** Frees what a worker that has ended had. */
  free() {
    clearTimeout(this.#trimTimer);
    this.#launch.free();
  }
}
