/** Watches an engine's workers and kills those that hang or exceed their memory limit. */
import { STATE } from '../mailbox/mailbox.js';
import { readPrivateKib, readThreadActivity } from './procfs.js';

/** Polls within `hangMs`. */
const POLLS_PER_HANG = 10;
/** Time to start a locked worker, in times that a worker may stand still. Others have EngineOptions.readyTimeoutMs. */
const START_HANGS = 10;
/** Stands for the tick of a worker that is starting. */
const NOT_READY = -1;
/** How long a worker may take to exit after its job has ended. */
const EXIT_TIMEOUT_MS = 5000;

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
   * @param {Set<WorkerHandle>} workers a live set: workers that are added later are watched as well
   * @param {{hangMs: number, memoryMb: number}} limits
   * @param {boolean} ownProcess whether every worker is a process of its own
   * @param {{activity?: typeof readThreadActivity, onPoll?: (worker: WorkerHandle) => void}} [hooks] activity: reads a
   *   thread's state and CPU time; onPoll: is called at each poll for each running worker
   */
  constructor(workers, limits, ownProcess, { activity = readThreadActivity, onPoll } = {}) {
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
    // If this thread was suspended (with the machine, or by SIGSTOP), the workers may have been, too. So a single poll
    // counts for two intervals at most.
    const passedMs = Math.min(now - this.#polledAt, 2 * this.pollMs);
    this.#polledAt = now;
    for (const worker of this.#workers) {
      if (worker.locked && worker.starting) {
        const limitMs = START_HANGS * this.#limits.hangMs;
        if (this.#stillMs(worker, passedMs) >= limitMs) worker.terminate('hung');
      }
      if (!worker.running || worker.inspecting) continue;
      this.#onPoll?.(worker);
      const stillMs = this.#stillMs(worker, passedMs);
      const { state } = worker.mailbox;
      if (state === STATE.done || state === STATE.stopped || state === STATE.failed) {
        if (stillMs >= EXIT_TIMEOUT_MS) worker.terminate(state === STATE.done ? 'done' : 'crashed');
      } else if (stillMs >= this.#limits.hangMs) {
        worker.terminate('hung');
      } else if (this.#memoryKib(worker) > this.#limits.memoryMb * 1024) {
        worker.terminate('out-of-memory');
      }
    }
  }

  /**
   * Returns how long a worker has not advanced its tick counter although it could have. Time that it waits for a core
   * or a disk does not count: an overloaded board would otherwise kill every match, and the restarts would add load.
   * @param {WorkerHandle} worker @param {number} passedMs since the last poll @returns {number} ms
   */
  #stillMs(worker, passedMs) {
    const tick = worker.starting ? NOT_READY : worker.mailbox.tick;
    const seen = this.#seen.get(worker);
    if (!seen || seen.tick !== tick) {
      this.#seen.set(worker, { tick, stillMs: 0 });
      return 0;
    }
    const tid = worker.tid ?? (this.#ownProcess ? worker.pid : undefined);
    const activity = tid === undefined ? undefined : this.#activity(worker.pid, tid);
    let countedMs = passedMs;
    if (activity?.state === 'D') countedMs = 0;
    else if (activity?.state === 'R') {
      // The first poll has no earlier CPU time to compare with, so all of the interval counts.
      countedMs = Math.min(passedMs, activity.cpuMs - (seen.cpuMs ?? activity.cpuMs - passedMs));
    }
    seen.stillMs += countedMs;
    seen.cpuMs = activity?.cpuMs;
    return seen.stillMs;
  }

  /** @param {WorkerHandle} worker */
  #memoryKib(worker) {
    if (!this.#ownProcess) return worker.mailbox.memoryKib;
    return readPrivateKib(worker.pid, this.#limits.memoryMb * 1024);
  }

  close() {
    clearInterval(this.#timer);
  }
}
