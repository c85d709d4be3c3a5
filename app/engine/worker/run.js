/**
 * What runs inside a worker, the same for every engine: load the job's module, go on from the newest
 * checkpoint if there is one, then step at a fixed rate until the main thread says stop, the job is
 * done, or something throws. The hot path carries no messages: what the main thread wants is read
 * from the mailbox at each tick, and what came out is written there.
 *
 * A job module's default export has start(options) -> Job. All of it is synchronous:
 *   job.step(readWord(slot) -> int32, readSequence(slot) -> uint32)   one tick
 *   job.writeFrame(target) -> bytes written        (when the mailbox has room for frames). A frame that is
 *     longer than the target is cut; with the engine's option strictFrames it ends the worker instead
 *   job.checkpoint(target) -> bytes written; job.restore(source)   (when it has room for checkpoints). A
 *     checkpoint that is longer than the target is dropped
 *   job.done                                       true: nothing more to do
 * For the zygote engine it may have sizes(options) and rehearsalOptions(run), see entry/rehearse.js, and warm().
 */
import os from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { PitvError, messageOf } from '../../errors.js';
import { asError } from '../failure.js';
import { CONTROL, Mailbox, STATE, mailboxBytes } from '../mailbox/mailbox.js';

/**
 * A worker that is behind catches up this many ticks in a row, then lets the rest go: the game slows
 * down for a moment instead of falling behind for good.
 */
const CATCH_UP_TICKS = 4;
/** Timers have a grain of 1 ms; a tick may begin this much before its time rather than after it. */
const EARLY_MS = 1;
/** How often a worker tells its memory, for engines that can't see it from outside. */
const MEMORY_TICKS = 30;

/**
 * @typedef {object} Job
 * @property {(readWord: (slot: number) => number, readSequence: (slot: number) => number) => void} step
 * @property {(target: Uint8Array) => number} writeFrame
 * @property {(target: Uint8Array) => number} checkpoint
 * @property {(source: Uint8Array) => void} restore
 * @property {boolean} [done]
 */

/**
 * @typedef {object} Task what the main thread hands to a worker; structured-clonable
 * @property {string} moduleUrl
 * @property {unknown} options for the module's start()
 * @property {number} tickHz 1..1000
 * @property {number} checkpointTicks 1..
 * @property {number} niceness 0..19
 * @property {Rehearsal} [rehearsal]
 * @property {boolean} [strictFrames] a frame that is too long is an error
 * @property {string} [inspectBase] see inspect/ask.js
 *
 * @typedef {object} Rehearsal a rehearsal before the job, with the same steps in every worker: V8 has then
 *   compiled the same code in the same order everywhere, so memory is alike (see docs/results/ksm.md), and
 *   the job's first ticks are no slower than the others
 * @property {number} ticks 1..
 * @property {Record<string, unknown>} [options] in place of the task's own of the same names, if there are:
 *   what makes one job differ from another
 * @property {string} [event] emitted on `process` when it is over
 */

/**
 * @param {Task} task
 * @param {ArrayBuffer | SharedArrayBuffer} memory holds a mailbox
 * @param {() => void} reportReady
 * @param {(url: string) => any} [load] gives a module
 * @returns {Promise<'done' | 'stopped'>}
 * @throws {Error} what the module threw
 */
export async function runWorker(task, memory, reportReady, load = (url) => import(url)) {
  const mailbox = Mailbox.attach(memory);
  try {
    const job = await startJob(await load(task.moduleUrl), task, mailbox);
    lowerPriority(task.niceness); // not before: people wait for a start
    reportReady();
    newest = new Loop(job, task, mailbox);
    const end = await newest.run();
    mailbox.state = end === 'done' ? STATE.done : STATE.stopped;
    return end;
  } catch (error) {
    mailbox.state = STATE.failed;
    throw asError(error);
  }
}

/**
 * Workers yield to the main thread when cores are short. On Linux the priority belongs to a thread,
 * and 0 means the calling one (setpriority(2), "C library/kernel differences").
 * @param {number} niceness
 */
function lowerPriority(niceness) {
  try {
    os.setPriority(0, Math.max(niceness, os.getPriority(0)));
  } catch {
    // A worker runs at the main thread's priority too.
  }
}

/** @param {any} module @param {Task} task @param {Mailbox} mailbox @returns {Promise<Job>} */
async function startJob(module, task, mailbox) {
  if (typeof module.default?.start !== 'function') {
    throw new TypeError(`${task.moduleUrl} has no default export with a start() function.`);
  }
  if (task.rehearsal) {
    lowerPriority(task.niceness);
    await rehearse(module.default, task, mailbox.sizes);
  }
  const job = await module.default.start(task.options);
  const checkpoint = mailbox.checkpoint;
  if (checkpoint) {
    job.restore(checkpoint.bytes);
    mailbox.tick = checkpoint.tick;
  } else {
    mailbox.tick = 0;
    writeCheckpoint(job, mailbox);
  }
  return job;
}

/**
 * Runs another job, whose mailbox nobody reads. When it fails, a warning names the module, and the job
 * itself is started nevertheless.
 * @param {{start: (options: any) => Job | Promise<Job>}} module
 * @param {Task} task @param {import('../mailbox/mailbox.js').MailboxSizes} sizes
 */
async function rehearse(module, task, sizes) {
  const { ticks, options: others = {}, event } = /** @type {Rehearsal} */ (task.rehearsal);
  try {
    const mailbox = Mailbox.create(new ArrayBuffer(mailboxBytes(sizes)), sizes);
    const options = structuredClone(task.options); // a job may change what it is given
    for (const [name, value] of Object.entries(others)) {
      if (Object.hasOwn(Object(options), name)) Reflect.set(Object(options), name, value);
    }
    const ticker = new Ticker(await module.start(options), task, mailbox);
    for (let i = 0; i < ticks && !ticker.tick(); i++);
  } catch (error) {
    process.emitWarning(`${task.moduleUrl} failed in its rehearsal: ${messageOf(error)}`, {
      code: 'PITV_REHEARSAL_FAILED',
      detail: asError(error).stack,
    });
  }
  if (event) process.emit(/** @type {any} */ (event));
}

/**
 * Writes a checkpoint. One that does not fit is dropped, and the last one stays the newest.
 * @param {Job} job @param {Mailbox} mailbox
 */
function writeCheckpoint(job, mailbox) {
  const { checkpointBytes } = mailbox.sizes;
  if (checkpointBytes === 0) return;
  const length = job.checkpoint(mailbox.checkpointTarget);
  if (length <= checkpointBytes) mailbox.publishCheckpoint(length, mailbox.tick);
  else mailbox.recordOversizedCheckpoint(length);
}

/** A job, tick by tick. Classes and functions of the module, not closures: their compiled code serves all jobs. */
export class Ticker {
  #job;
  #mailbox;
  #checkpointTicks;
  #frameBytes;
  #strict;
  #log;
  #readWord;
  #readSequence;

  /** @param {Job} job @param {Pick<Task, 'checkpointTicks' | 'strictFrames'>} task @param {Mailbox} mailbox */
  constructor(job, { checkpointTicks, strictFrames = false }, mailbox) {
    const log = mailbox.inputLog;
    this.#job = job;
    this.#mailbox = mailbox;
    this.#checkpointTicks = checkpointTicks;
    this.#frameBytes = mailbox.sizes.frameBytes;
    this.#strict = strictFrames;
    this.#log = log;
    this.#readWord = log
      ? (/** @type {number} */ slot) => log.record(slot, mailbox.readInput(slot))
      : mailbox.readInput.bind(mailbox);
    this.#readSequence = mailbox.inputSequence.bind(mailbox);
  }

  /** One tick. @returns {boolean} is the job done? */
  tick() {
    const job = this.#job;
    const mailbox = this.#mailbox;
    const began = performance.now();
    job.step(this.#readWord, this.#readSequence);
    mailbox.recordStep(((performance.now() - began) * 1000) | 0);
    mailbox.tick = (mailbox.tick + 1) | 0;
    this.#log?.publish(mailbox.tick);
    if (this.#frameBytes > 0) {
      let length = job.writeFrame(mailbox.frameTarget);
      if (length > this.#frameBytes) length = this.#cut(length);
      mailbox.publishFrame(length, mailbox.tick);
    }
    if (mailbox.tick % this.#checkpointTicks === 0) writeCheckpoint(job, mailbox);
    if (mailbox.tick % MEMORY_TICKS === 0) noteMemory(mailbox);
    return job.done === true;
  }

  /** @param {number} length of a frame that is too long @returns {number} what of it there is */
  #cut(length) {
    if (this.#strict) {
      const sentence = `A frame has ${length} bytes, but the mailbox has room for ${this.#frameBytes}. Give the worker a larger frameBytes.`;
      throw new PitvError('PITV_FRAME_SIZE', sentence);
    }
    this.#mailbox.recordOversizedFrame(length);
    return this.#frameBytes;
  }
}

/** Ticks at a fixed rate until it is over. */
class Loop {
  #job;
  #task;
  #mailbox;
  #ticker;
  #tickMs;
  #due = 0;
  /** @type {(NodeJS.Timeout | undefined)[]} by delay in ms; used again and again, which leaves no garbage */
  #timers;
  #resolve = (/** @type {'done' | 'stopped'} */ _) => {};
  #reject = (/** @type {unknown} */ _) => {};

  /** @param {Job} job @param {Task} task @param {Mailbox} mailbox */
  constructor(job, task, mailbox) {
    this.#job = job;
    this.#task = task;
    this.#mailbox = mailbox;
    this.#ticker = new Ticker(job, task, mailbox);
    this.#tickMs = 1000 / task.tickHz;
    this.#timers = Array.from({ length: Math.ceil(this.#tickMs) + EARLY_MS + 1 });
  }

  /** @returns {Promise<'done' | 'stopped'>} */
  run() {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#due = performance.now() + this.#tickMs;
      this.#mailbox.state = STATE.running;
      this.#wait(Math.round(this.#tickMs));
    });
  }

  /** @param {number} delayMs */
  #wait(delayMs) {
    const timer = this.#timers[delayMs];
    if (timer) timer.refresh();
    else this.#timers[delayMs] = setTimeout(takeTurn, delayMs, this);
  }

  /** What is due, then waits for what comes next. */
  turn() {
    try {
      const end = this.#catchUp();
      if (end) this.#resolve(end);
      else this.#goOn();
    } catch (error) {
      this.#reject(error);
    }
  }

  /** @returns {'done' | 'stopped' | undefined} is it over? */
  #catchUp() {
    const mailbox = this.#mailbox;
    let now = performance.now();
    for (let ticks = 0; now >= this.#due - EARLY_MS && ticks < CATCH_UP_TICKS; ticks++) {
      if (mailbox.control === CONTROL.stop) break;
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

  #goOn() {
    const mailbox = this.#mailbox;
    if (mailbox.control === CONTROL.inspect && mailbox.clearInspection()) inspect(this.#task);
    // Rounded, against a due time that is never rounded: single ticks are up to 1 ms early or
    // late, and the rate is exact. setImmediate keeps a late worker's event loop alive.
    const leftMs = this.#due - performance.now();
    if (leftMs <= EARLY_MS) setImmediate(takeTurn, this);
    else this.#wait(Math.round(leftMs));
  }
}

/** V8 drops what it has compiled for a class when none of it is left; forks shall find it. @type {Loop | undefined} */
let newest;

/** @param {Loop} loop */
function takeTurn(loop) {
  loop.turn();
}

/** Loaded when it is asked for. @param {Task} task */
function inspect({ inspectBase = '' }) {
  import('./answer-inspection.js').then(({ answer }) => answer(inspectBase)).catch(() => {});
}

/** @param {Mailbox} mailbox */
function noteMemory(mailbox) {
  const heap = getHeapStatistics();
  mailbox.memoryKib = Math.round((heap.total_heap_size + heap.external_memory) / 1024);
}
