/**
 * Steps a job tick by tick, writes its frames and checkpoints to the mailbox, and reports what is wrong with the job.
 * Classes and module functions instead of closures: their compiled code serves all jobs of a process.
 */
import { getHeapStatistics } from 'node:v8';
import { PitvError } from '../../errors.js';

/** @typedef {import('../mailbox/mailbox.js').Mailbox} Mailbox */

/** Ticks between two reports of the worker's memory, for engines that cannot measure it from outside. */
const MEMORY_TICKS = 30;
/** Ticks between two calls of trim(). V8 compiles most of what a job needs in its first seconds. */
const TRIM_TICKS = 600;
/** CPU time of this thread, or of the process where Node.js cannot tell (before 22.19). */
const cpuUsage = Reflect.get(process, 'threadCpuUsage') ?? process.cpuUsage;

const DEVELOPMENT = process.env.NODE_ENV === 'development';
/** Longer sentences are cut. */
const MAX_CHARS = 1000;
/** Slow ticks of a worker's first second are not reported, because V8 has not compiled the job yet. */
const WARM_UP_SECONDS = 1;
/** Code that V8 has not optimised yet allocates numbers. A job that leaves no garbage does so for some 600 ticks. */
const GARBAGE_WARM_UP_SECONDS = 20;
/** Garbage is reported if the ticks of a second leave more than this on average, bytes. */
const MAX_GARBAGE = 16 * 1024;
const CALIBRATIONS = 8;

/**
 * @typedef {object} Job see run.js
 * @property {(readWord: (slot: number) => number, readSequence: (slot: number) => number) => void} step
 * @property {(target: Uint8Array) => number} writeFrame
 * @property {(target: Uint8Array) => number} checkpoint
 * @property {(source: Uint8Array) => void} restore
 * @property {boolean} [done]
 * @property {() => string | undefined} [takeWarning]
 * @property {number} [bodies] @property {number} [contacts]
 */

export class Ticker {
  #job;
  #mailbox;
  #checkpointTicks;
  #frameBytes;
  #strict;
  #readWord;
  #readSequence;
  #warnings;
  #trim;
  /** In development only. @type {HeapMeter | undefined} */
  #heap;

  /**
   * @param {Job} job
   * @param {Pick<import('./run.js').Task, 'checkpointTicks' | 'strictFrames'>} task
   * @param {Mailbox} mailbox
   * @param {Warnings} [warnings] without it, the job's warnings are ignored
   * @param {() => void} [trim] see runWorker()
   */
  constructor(job, { checkpointTicks, strictFrames = false }, mailbox, warnings, trim) {
    this.#job = job;
    this.#mailbox = mailbox;
    this.#checkpointTicks = checkpointTicks;
    this.#frameBytes = mailbox.sizes.frameBytes;
    this.#strict = strictFrames;
    this.#warnings = warnings;
    this.#trim = trim;
    if (warnings?.all) this.#heap = new HeapMeter();
    this.#readWord = mailbox.readInput.bind(mailbox);
    this.#readSequence = mailbox.inputSequence.bind(mailbox);
  }

  /**
   * Runs one tick.
   * @returns {boolean} whether the job is done
   * @throws {PitvError} PITV_FRAME_SIZE when a frame does not fit and the task has strictFrames
   * @throws {TypeError} when the job does not say how long a frame or a checkpoint is
   */
  tick() {
    const job = this.#job;
    const mailbox = this.#mailbox;
    const began = performance.now();
    const cpuBegan = this.#heap ? cpuMs() : 0;
    this.#heap?.begin();
    job.step(this.#readWord, this.#readSequence);
    const stepMs = performance.now() - began;
    mailbox.recordStep((stepMs * 1000) | 0);
    mailbox.tick = (mailbox.tick + 1) | 0;
    let length = 0;
    if (this.#frameBytes > 0) {
      length = job.writeFrame(mailbox.frameTarget);
      if (!(length >= 0 && length <= this.#frameBytes)) length = this.#cutFrame(length);
      mailbox.publishFrame(length, mailbox.tick);
    }
    const garbage = this.#heap?.end() ?? -1;
    const usedMs = this.#heap ? cpuMs() - cpuBegan : Infinity; // less than the time on a busy machine
    this.#warnings?.check(job, mailbox.tick, Math.min(stepMs, usedMs), garbage);
    if (mailbox.tickStats) {
      this.#addStats(Math.min(performance.now() - began, usedMs), length, garbage);
    }
    if (mailbox.tick % this.#checkpointTicks === 0) writeCheckpoint(job, mailbox);
    if (mailbox.tick % MEMORY_TICKS === 0) reportMemory(mailbox);
    if (mailbox.tick % TRIM_TICKS === 0) this.#trim?.();
    return job.done === true;
  }

  /** @param {number} tookMs @param {number} frameBytes @param {number} garbage bytes, -1 if unknown */
  #addStats(tookMs, frameBytes, garbage) {
    const { tickStats } = this.#mailbox;
    tickStats?.add(tookMs * 1000, frameBytes, garbage);
    tickStats?.setWorld(this.#job.bodies ?? 0, this.#job.contacts ?? 0);
  }

  /** @param {number} length bytes of a frame that does not fit @returns {number} bytes of the frame that fit */
  #cutFrame(length) {
    checkLength('writeFrame', length);
    if (this.#strict) {
      const sentence = `A frame has ${length} bytes, but the mailbox has room for ${this.#frameBytes}. Give the worker a larger frameBytes.`;
      throw new PitvError('PITV_FRAME_SIZE', sentence);
    }
    this.#mailbox.recordOversizedFrame(length);
    return this.#frameBytes;
  }
}

/** @returns {number} ms */
function cpuMs() {
  const { user, system } = cpuUsage.call(process);
  return (user + system) / 1000;
}

/**
 * Writes a checkpoint. A checkpoint that does not fit is dropped, and the previous one stays the newest.
 * @param {Job} job @param {Mailbox} mailbox
 */
export function writeCheckpoint(job, mailbox) {
  const { checkpointBytes } = mailbox.sizes;
  if (checkpointBytes === 0) return;
  const length = job.checkpoint(mailbox.checkpointTarget);
  checkLength('checkpoint', length);
  if (length <= checkpointBytes) mailbox.publishCheckpoint(length, mailbox.tick);
  else mailbox.recordOversizedCheckpoint(length);
}

/** @param {string} method of a job @param {number} length what it has returned @throws {TypeError} */
function checkLength(method, length) {
  if (length >= 0) return;
  const sentence = `${method}() must return how many bytes it has written, not ${String(length)}.`;
  throw new TypeError(sentence);
}

/** @param {Mailbox} mailbox */
function reportMemory(mailbox) {
  const heap = getHeapStatistics();
  mailbox.memoryKib = Math.round((heap.total_heap_size + heap.external_memory) / 1024);
}

/** Reports problems of a job: in development each sort once, otherwise one problem per worker. */
export class Warnings {
  #warn;
  #tickMs;
  #tickHz;
  /** Ticks of this worker. */
  #ticks = 0;
  #ended = false;
  #slow = false;
  #garbageTicks = 0;
  #garbageBytes = 0;
  #garbageReported = false;

  /**
   * @param {(sentence: string) => void} warn
   * @param {{tickHz: number}} task
   * @param {boolean} [all] whether each sort of problem is reported
   */
  constructor(warn, { tickHz }, all = DEVELOPMENT) {
    this.#warn = warn;
    this.#tickMs = 1000 / tickHz;
    this.#tickHz = tickHz;
    this.all = all;
  }

  /**
   * Checks a job after a tick.
   * @param {Job} job @param {number} tick
   * @param {number} stepMs duration of its step. In development, time that other programs took from it does not count
   * @param {number} [garbage] bytes that it left on the heap, -1 if unknown
   */
  check(job, tick, stepMs, garbage = -1) {
    if (this.#ended) return;
    const seconds = this.#ticks++ / this.#tickHz;
    const sentence = job.takeWarning?.();
    if (sentence) {
      this.#warn(String(sentence).slice(0, MAX_CHARS));
      this.#ended = !this.all;
    }
    if (this.all && !this.#slow && stepMs > this.#tickMs && seconds >= WARM_UP_SECONDS) {
      this.#slow = true;
      const [took, has] = [stepMs, this.#tickMs].map((ms) => ms.toFixed(1));
      this.#warn(
        `Tick ${tick} took ${took} ms; a tick has ${has} ms. Later slow ticks are not reported.`,
      );
    }
    if (this.all && garbage >= 0 && seconds >= GARBAGE_WARM_UP_SECONDS) {
      this.#checkGarbage(tick, garbage);
    }
  }

  /** @param {number} tick @param {number} garbage bytes */
  #checkGarbage(tick, garbage) {
    if (this.#garbageReported) return;
    this.#garbageBytes += garbage;
    if (++this.#garbageTicks < this.#tickHz) return;
    const average = this.#garbageBytes / this.#garbageTicks;
    this.#garbageTicks = 0;
    this.#garbageBytes = 0;
    if (average <= MAX_GARBAGE) return;
    this.#garbageReported = true;
    const kib = (average / 1024).toFixed(1);
    this.#warn(
      `Tick ${tick}: the ticks of the last second left ${kib} KiB of garbage each. Collecting it takes time from later ticks: keep objects and arrays instead of making new ones.`,
    );
  }
}

/** Measures how much memory of the heap a tick allocates. Nothing of it is needed afterwards, so it is garbage. */
export class HeapMeter {
  #began = 0;
  /** What a measurement itself allocates, bytes. */
  #own = 0;

  constructor() {
    let least = Infinity;
    for (let i = 0; i < CALIBRATIONS; i++) {
      this.begin();
      const bytes = this.end();
      if (bytes >= 0) least = Math.min(least, bytes);
    }
    if (least < Infinity) this.#own = least;
  }

  begin() {
    this.#began = getHeapStatistics().used_heap_size;
  }

  /** @returns {number} bytes since begin(), -1 if a garbage collection happened meanwhile */
  end() {
    const bytes = getHeapStatistics().used_heap_size - this.#began;
    return bytes < 0 ? -1 : Math.max(0, bytes - this.#own);
  }
}
