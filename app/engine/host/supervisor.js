/** Watches an engine's workers: ends one that hangs or takes more memory than it may. */
import { STATE } from '../mailbox.js';
import { privateKib } from './procfs.js';

/** How many looks it takes to call a worker hung. */
const LOOKS_PER_HANG = 10;
/** How long a worker whose job has ended may take to leave. */
const LEAVE_MS = 5000;

/** @typedef {import('./handle.js').WorkerHandle} WorkerHandle */

export class Supervisor {
  #workers;
  #limits;
  #ownProcess;
  #timer;
  #lookedAt = performance.now();
  /** @type {WeakMap<WorkerHandle, {tick: number, stillMs: number}>} */
  #seen = new WeakMap();

  /**
   * @param {Set<WorkerHandle>} workers live: what is added is watched
   * @param {{hangMs: number, memoryMb: number}} limits
   * @param {boolean} ownProcess is every worker a process of its own?
   */
  constructor(workers, limits, ownProcess) {
    this.#workers = workers;
    this.#limits = limits;
    this.#ownProcess = ownProcess;
    this.lookMs = Math.ceil(limits.hangMs / LOOKS_PER_HANG);
    this.#timer = setInterval(() => this.#look(), this.lookMs).unref();
  }

  #look() {
    const now = performance.now();
    // When this thread itself stood still (suspended machine, stopped process), so did the workers,
    // perhaps: no look counts for more than two of its intervals.
    const passedMs = Math.min(now - this.#lookedAt, 2 * this.lookMs);
    this.#lookedAt = now;
    for (const worker of this.#workers) {
      if (!worker.running || worker.inspecting) continue;
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
   * How long its tick counter has not moved. A ready worker must move it, whatever else the mailbox
   * says.
   * @param {WorkerHandle} worker @param {number} passedMs @returns {number}
   */
  #stillMs(worker, passedMs) {
    const { tick } = worker.mailbox;
    const seen = this.#seen.get(worker);
    const stillMs = seen && seen.tick === tick ? seen.stillMs + passedMs : 0;
    this.#seen.set(worker, { tick, stillMs });
    return stillMs;
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
