/** Watches an engine's workers and kills those that hang or exceed their memory limit. */
import { PitvError } from '../../errors.js';
import { memoryOf } from '../../process/memory-account.js';
import { STATE } from '../mailbox/mailbox.js';
import { readResidentKib, readActivity } from './procfs.js';

/** Polls within `hangMs`. */
const POLLS_PER_HANG = 10;
/** Time to start a locked worker, in multiples of `hangMs`. For other workers, it is EngineOptions.readyTimeoutMs. */
const START_HANGS = 10;
/** Take the place of a tick: the worker is starting; its job has ended. */
const NOT_READY = -1;
const JOB_ENDED = -2;
/**
 * A worker may run faster than its rate while it catches up. The spare ticks allow for a late poll, which measures too
 * short a time.
 */
const MAX_SPEED = 1.25;
const SPARE_TICKS = 16;
/** How long a worker may take to exit after its job has ended. */
const EXIT_TIMEOUT_MS = 5000;
/** The memory of a process is not measured again before this many times as long has passed as a measurement took. */
const MEASURE_PAUSE = 9;

/** @typedef {import('./handle.js').WorkerHandle} WorkerHandle */

export class Supervisor {
  #workers;
  #limits;
  #activity;
  #measure;
  #onPoll;
  #timer;
  #polledAt = performance.now();
  /** @typedef {{starting: boolean, tick: number, frame: number, stillMs: number, cpuMs?: number}} Seen */
  /** @type {WeakMap<WorkerHandle, Seen>} */
  #seen = new WeakMap();
  /** Workers whose memory is being measured, or was a moment ago. @type {WeakSet<WorkerHandle>} */
  #measured = new WeakSet();
  /** The ticks of locked workers at the last poll. @type {WeakMap<WorkerHandle, number>} */
  #ticks = new WeakMap();

  /**
   * @param {Set<WorkerHandle>} workers a live set: workers that are added later are watched as well
   * @param {{hangMs: number, memoryMb: number}} limits
   * @param {{activity?: typeof readActivity, measure?: typeof memoryOf, onPoll?: (worker: WorkerHandle) =>
   *   void}} [hooks] activity: reads a thread's state and CPU time; measure: reads the memory of a process; onPoll: is
   *   called at each poll for each running worker
   */
  constructor(workers, limits, { activity = readActivity, measure = memoryOf, onPoll } = {}) {
    this.#activity = activity;
    this.#measure = measure;
    this.#onPoll = onPoll;
    this.#workers = workers;
    this.#limits = limits;
    this.pollMs = Math.ceil(limits.hangMs / POLLS_PER_HANG);
    this.#timer = setInterval(() => this.#poll(), this.pollMs).unref();
  }

  #poll() {
    const now = performance.now();
    // If this thread was suspended (with the machine, or by SIGSTOP), the workers may have been, too. So a single poll
    // counts for two intervals at most.
    const elapsedMs = now - this.#polledAt;
    const passedMs = Math.min(elapsedMs, 2 * this.pollMs);
    this.#polledAt = now;
    for (const worker of this.#workers) {
      if (worker.locked && worker.starting) {
        const limitMs = START_HANGS * this.#limits.hangMs;
        if (this.#stillMs(worker, passedMs) >= limitMs) worker.terminate('hung');
      }
      if (!worker.running || worker.inspecting) continue;
      this.#onPoll?.(worker);
      if (worker.locked && this.#isFast(worker, elapsedMs)) {
        const { name, mailbox, tickHz } = worker;
        const sentence = `The tick counter of "${name}" is at ${mailbox.tick} and does not follow the clock (${tickHz} ticks a second).`;
        worker.terminate('crashed', new PitvError('PITV_WORKER_TICKS', sentence));
        continue;
      }
      const { state } = worker.mailbox;
      const isOver = state === STATE.done || state === STATE.stopped || state === STATE.failed;
      const isPaused = worker.mailbox.isPaused && !isOver;
      const stillMs = isPaused ? 0 : this.#stillMs(worker, passedMs, isOver);
      if (isOver) {
        if (stillMs >= EXIT_TIMEOUT_MS) worker.terminate(state === STATE.done ? 'done' : 'crashed');
      } else if (stillMs >= this.#limits.hangMs + 1000 / worker.tickHz) {
        worker.terminate('hung');
      } else {
        void this.#checkMemory(worker);
      }
    }
  }

  /**
   * Returns how long a worker has not advanced its tick counter although it could have. Time that it waits for a core
   * or a disk does not count: an overloaded board would otherwise kill every match, and the restarts would add load. A
   * locked worker has to write frames, too, because a loop can advance the counter.
   * @param {WorkerHandle} worker @param {number} passedMs since the last poll
   * @param {boolean} [isOver] whether the worker says that its job has ended, after which ticks do not count
   * @returns {number} ms
   */
  #stillMs(worker, passedMs, isOver = false) {
    const { mailbox, starting } = worker;
    const tick = starting ? NOT_READY : isOver ? JOB_ENDED : mailbox.tick;
    const frame = worker.locked && mailbox.sizes.frameBytes > 0 ? mailbox.frameSequence : tick;
    const seen = this.#seen.get(worker);
    const isNew = !seen || seen.starting !== starting; // the time to start is no time of the first tick
    if (isNew || (seen.tick !== tick && (tick < 0 || seen.frame !== frame))) {
      this.#seen.set(worker, { starting, tick, frame, stillMs: 0 });
      return 0;
    }
    const tid = worker.tid ?? (worker.threadId === 0 ? worker.pid : undefined);
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

  /**
   * Tells whether a worker counts more ticks than the time since the last poll has, or fewer than before.
   * @param {WorkerHandle} worker @param {number} elapsedMs
   */
  #isFast(worker, elapsedMs) {
    const { tick } = worker.mailbox;
    const before = this.#ticks.get(worker) ?? tick;
    this.#ticks.set(worker, tick);
    const ticks = (tick - before) | 0;
    return ticks < 0 || ticks > (elapsedMs / 1000) * worker.tickHz * MAX_SPEED + SPARE_TICKS;
  }

  /**
   * Ends a worker that has too much private memory (USS). The memory of a process is measured only when its resident
   * memory is over the limit, and not on this thread: the kernel walks all its page tables, and a game may stay below
   * the limit for long.
   * @param {WorkerHandle} worker
   */
  async #checkMemory(worker) {
    const limitKib = this.#limits.memoryMb * 1024;
    const { pid, threadId, mailbox } = worker;
    if (threadId !== 0) {
      if (mailbox.memoryKib > limitKib) worker.terminate('out-of-memory');
      return;
    }
    if (this.#measured.has(worker) || readResidentKib(pid) <= limitKib) return;
    this.#measured.add(worker);
    const began = performance.now();
    const memory = await this.#measure(pid);
    if (memory && memory.ussKib > limitKib && worker.running) worker.terminate('out-of-memory');
    const pauseMs = MEASURE_PAUSE * (performance.now() - began);
    setTimeout(() => this.#measured.delete(worker), pauseMs).unref();
  }

  close() {
    clearInterval(this.#timer);
  }
}
