/** Watches an engine's workers: ends one that hangs or takes more memory than it may. */
import { STATE } from '../mailbox/mailbox.js';
import { privateKib, threadActivity } from './procfs.js';

/** How many looks it takes to call a worker hung. */
const POLLS_PER_HANG = 10;
/** How long a worker whose job has ended may take to leave. */
const LEAVE_MS = 5000;

/** @typedef {import('./handle.js').WorkerHandle} WorkerHandle */

export class Supervisor {
  #workers;
  #limits;
  #ownProcess;
  #activity;
  #onPoll;
  #timer;
  #polledAt = performance.now();
  /** @type {WeakMap<WorkerHandle, {tick: number, stillMs: number, cpuMs?: number}>} */
  #seen = new WeakMap();

  /**
   * @param {Set<WorkerHandle>} workers live: what is added is watched
   * @param {{hangMs: number, memoryMb: number}} limits
   * @param {boolean} ownProcess is every worker a process of its own?
   * @param {{activity?: typeof threadActivity, onPoll?: (worker: WorkerHandle) => void}} [how] activity:
   *   what a worker's thread is doing; onPoll: called for each worker that runs, each time
   */
  constructor(workers, limits, ownProcess, { activity = threadActivity, onPoll } = {}) {
    this.#activity = activity;
    this.#onPoll = onPoll;
    this.#workers = workers;
    this.#limits = limits;
    this.#ownProcess = ownProcess;
    this.pollMs = Math.ceil(limits.hangMs / POLLS_PER_HANG);
    this.#timer = setInterval(() => this.#poll(), this.pollMs).unref();
  }

  #poll() {
    const now = performance.now();
    // When this thread itself stood still (suspended machine, stopped process), so did the workers,
    // perhaps: no look counts for more than two of its intervals.
    const passedMs = Math.min(now - this.#polledAt, 2 * this.pollMs);
    this.#polledAt = now;
    for (const worker of this.#workers) {
      if (!worker.running || worker.inspecting) continue;
      this.#onPoll?.(worker);
      const stillMs = this.#stillMs(worker, passedMs);
      const { state } = worker.mailbox;
      if (state === STATE.done || state === STATE.stopped || state === STATE.failed) {
        if (stillMs >= LEAVE_MS) worker.end(state === STATE.done ? 'done' : 'crashed');
      } else if (stillMs >= this.#limits.hangMs) {
        worker.end('hung');
      } else if (this.#memoryKib(worker) > this.#limits.memoryMb * 1024) {
        worker.end('out-of-memory');
      }
    }
  }

  /**
   * How long its tick counter has not moved though it could have. A ready worker must move it, whatever
   * else the mailbox says. But what it waits for a core or for a disk is not its fault: on a board that
   * has more to do than it can, every match would be ended as hung, and its restart would be more to do.
   * @param {WorkerHandle} worker @param {number} passedMs @returns {number}
   */
  #stillMs(worker, passedMs) {
    const { tick } = worker.mailbox;
    const seen = this.#seen.get(worker);
    if (!seen || seen.tick !== tick) {
      this.#seen.set(worker, { tick, stillMs: 0 });
      return 0;
    }
    const tid = worker.tid ?? (this.#ownProcess ? worker.pid : undefined);
    const activity = tid === undefined ? undefined : this.#activity(worker.pid, tid);
    let ownMs = passedMs;
    if (activity?.state === 'D') ownMs = 0;
    else if (activity?.state === 'R') {
      // Nothing to compare with at the first look: then all of it counts.
      ownMs = Math.min(passedMs, activity.cpuMs - (seen.cpuMs ?? activity.cpuMs - passedMs));
    }
    seen.stillMs += ownMs;
    seen.cpuMs = activity?.cpuMs;
    return seen.stillMs;
  }

  /** @param {WorkerHandle} worker */
  #memoryKib(worker) {
    if (!this.#ownProcess) return worker.mailbox.memoryKib;
    return privateKib(worker.pid, this.#limits.memoryMb * 1024);
  }

  close() {
    clearInterval(this.#timer);
  }
}
