/**
 * Steps a job tick by tick and writes its frames and checkpoints to the mailbox. Classes and module functions instead
 * of closures: their compiled code serves all jobs of a process.
 */
import { getHeapStatistics } from 'node:v8';
import { PitvError } from '../../errors.js';
import { HeapMeter } from './warnings.js';

/** @typedef {import('../mailbox/mailbox.js').Mailbox} Mailbox */

/** Ticks between two reports of the worker's memory, for engines that cannot measure it from outside. */
const MEMORY_TICKS = 30;
/** CPU time of this thread, or of the process where Node.js cannot tell (before 22.19). */
const cpuUsage = Reflect.get(process, 'threadCpuUsage') ?? process.cpuUsage;

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
  /** In development only. @type {HeapMeter | undefined} */
  #heap;

  /**
   * @param {Job} job
   * @param {Pick<import('./run.js').Task, 'checkpointTicks' | 'strictFrames'>} task
   * @param {Mailbox} mailbox
   * @param {import('./warnings.js').Warnings} [warnings] without it, the job's warnings are ignored
   */
  constructor(job, { checkpointTicks, strictFrames = false }, mailbox, warnings) {
    this.#job = job;
    this.#mailbox = mailbox;
    this.#checkpointTicks = checkpointTicks;
    this.#frameBytes = mailbox.sizes.frameBytes;
    this.#strict = strictFrames;
    this.#warnings = warnings;
    if (warnings?.all) this.#heap = new HeapMeter();
    this.#readWord = mailbox.readInput.bind(mailbox);
    this.#readSequence = mailbox.inputSequence.bind(mailbox);
  }

  /**
   * Runs one tick.
   * @returns {boolean} whether the job is done
   * @throws {PitvError} PITV_FRAME_SIZE when a frame does not fit and the task has strictFrames
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
      if (length > this.#frameBytes) length = this.#cutFrame(length);
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
  if (length <= checkpointBytes) mailbox.publishCheckpoint(length, mailbox.tick);
  else mailbox.recordOversizedCheckpoint(length);
}

/** @param {Mailbox} mailbox */
function reportMemory(mailbox) {
  const heap = getHeapStatistics();
  mailbox.memoryKib = Math.round((heap.total_heap_size + heap.external_memory) / 1024);
}
