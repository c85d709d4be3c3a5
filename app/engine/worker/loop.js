/** Runs a job's ticks at a fixed rate until the job is done or the main thread asks it to stop. */
import { CONTROL, STATE } from '../mailbox/mailbox.js';
import { Ticker, Warnings, writeCheckpoint } from './ticker.js';

/** @typedef {import('./run.js').Task} Task */

/** A late worker runs this many ticks in a row at most, then skips the rest: the game slows down for a moment. */
const MAX_CATCH_UP_TICKS = 4;
/** A job of few ticks looks for requests in between, so that it stops in time for its last checkpoint. */
const MAX_WAIT_MS = 100;
/** Timers have a resolution of 1 ms. A tick may start this much early rather than up to 1 ms late. */
const EARLY_MS = 1;

export class Loop {
  #job;
  #task;
  #mailbox;
  #ticker;
  #tickMs;
  #due = 0;
  /** @type {(NodeJS.Timeout | undefined)[]} timers by delay in ms, which are reused and so leave no garbage */
  #timers;
  #resolve = (/** @type {'done' | 'stopped'} */ _) => {};
  #reject = (/** @type {unknown} */ _) => {};

  /**
   * @param {import('./ticker.js').Job} job @param {Task} task
   * @param {import('../mailbox/mailbox.js').Mailbox} mailbox
   * @param {(sentence: string) => void} [warn] reports a problem of the job
   * @param {() => void} [trim] see runWorker()
   */
  constructor(job, task, mailbox, warn, trim) {
    this.#job = job;
    this.#task = task;
    this.#mailbox = mailbox;
    this.#ticker = new Ticker(job, task, mailbox, warn && new Warnings(warn, task), trim);
    this.#tickMs = 1000 / task.tickHz;
    this.#timers = Array.from({ length: Math.ceil(this.#tickMs) + EARLY_MS + 1 });
  }

  /** Runs the ticks. @returns {Promise<'done' | 'stopped'>} rejects with what the job throws */
  run() {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#due = performance.now() + this.#tickMs;
      this.#mailbox.state = STATE.running;
      this.#wait(this.#tickMs);
    });
  }

  /** @param {number} leftMs */
  #wait(leftMs) {
    const delayMs = Math.min(Math.round(leftMs), MAX_WAIT_MS);
    const timer = this.#timers[delayMs];
    if (timer) timer.refresh();
    else this.#timers[delayMs] = setTimeout(advance, delayMs, this);
  }

  /** Runs the ticks that are due and schedules the next one. */
  advance() {
    try {
      const end = this.#runDueTicks();
      if (end) this.#resolve(end);
      else this.#scheduleNext();
    } catch (error) {
      this.#reject(error);
    }
  }

  /** @returns {'done' | 'stopped' | undefined} undefined while the job continues */
  #runDueTicks() {
    const mailbox = this.#mailbox;
    let now = performance.now();
    if (mailbox.paused) this.#due = now + this.#tickMs;
    for (let ticks = 0; now >= this.#due - EARLY_MS && ticks < MAX_CATCH_UP_TICKS; ticks++) {
      if (mailbox.control === CONTROL.stop || mailbox.paused) break;
      if (now - this.#due > this.#tickMs) mailbox.addLateTick();
      if (this.#ticker.tick()) return 'done';
      this.#due += this.#tickMs;
      now = performance.now();
    }
    if (mailbox.control === CONTROL.stop) {
      writeCheckpoint(this.#job, mailbox);
      return 'stopped';
    }
    if (now - this.#due > this.#tickMs) this.#due = now;
    return undefined;
  }

  #scheduleNext() {
    const mailbox = this.#mailbox;
    if (mailbox.control === CONTROL.inspect && mailbox.clearInspection()) inspect(this.#task);
    // The delay is rounded, the due time is not: single ticks are up to 1 ms early or late, and the rate is exact.
    // setImmediate() lets the event loop of a late worker run between two ticks.
    const leftMs = this.#due - performance.now();
    if (leftMs <= EARLY_MS) setImmediate(advance, this);
    else this.#wait(leftMs);
  }
}

/** @param {Loop} loop */
function advance(loop) {
  loop.advance();
}

/** Answers a request for a profile. The module is loaded on first use. @param {Task} task */
function inspect({ inspectBase = '' }) {
  import('./capture-inspection.js')
    .then(({ answerInspection }) => answerInspection(inspectBase))
    .catch(() => {});
}
