/** Defines the layout of a mailbox's shared memory, and its header. mailbox.js describes its parts. */
import { PitvError } from '../../errors.js';
import { TICK_STATS_WORDS } from './tick-stats.js';

export const MAGIC = 0x70695456; // 'piTV'
export const LAYOUT_VERSION = 3;
export const HEADER_WORDS = 32;
const SLOT_HEAD_BYTES = 16;
const MAX_INPUT_SLOTS = 256;
const MAX_SLOT_BYTES = 64 * 1024 * 1024;

/** Offsets of the header words, in int32. */
export const HEADER = Object.freeze({
  magic: 0,
  version: 1,
  inputSlots: 2,
  frameBytes: 3,
  checkpointBytes: 4,
  control: 5,
  state: 6,
  tick: 7,
  lateTicks: 8,
  middle: 9,
  writer: 10,
  reader: 11,
  checkpoint: 12, // 0: none; else 1 + the slot of the newest complete checkpoint
  stepMicros: 14, // duration of the last step
  stepMicrosMax: 15, // longest step since the last read
  frameSequence: 16,
  memoryKib: 17, // the worker's heap and buffers, as it reports them
  oversizedFrame: 18, // bytes of this worker's first frame that did not fit; else 0
  oversizedCheckpoint: 19, // the same for checkpoints
  tickStats: 20, // 1: the mailbox has statistics of the ticks
  paused: 21, // 1: the worker waits between two ticks
});

/**
 * @typedef {object} MailboxSizes
 * @property {number} inputSlots 0..256
 * @property {number} frameBytes largest frame, bytes, up to 64 MiB
 * @property {number} checkpointBytes largest checkpoint, bytes, up to 64 MiB
 * @property {number} [tickStats] 1: room for statistics of the ticks; default 0
 *
 * @typedef {object} Slot a frame or a checkpoint
 * @property {Int32Array} head [sequence, length, tick, unused]
 * @property {Uint8Array} body
 *
 * @typedef {object} Views the parts of a mailbox
 * @property {Int32Array} header
 * @property {Int32Array} inputs
 * @property {Int32Array} tickStats empty without statistics
 * @property {Slot[]} frames
 * @property {Slot[]} checkpoints
 */

/** @param {number} bytes */
const align = (bytes) => Math.ceil(bytes / 64) * 64;

/**
 * Computes the size of a mailbox.
 * @param {MailboxSizes} sizes
 * @returns {number} bytes
 * @throws {PitvError} PITV_MAILBOX_SIZE
 */
export function mailboxBytes(sizes) {
  return layout(sizes).bytes;
}

/** @param {MailboxSizes} sizes */
function layout({ inputSlots, frameBytes, checkpointBytes, tickStats = 0 }) {
  for (const [name, value, max] of /** @type {[string, number, number][]} */ ([
    ['inputSlots', inputSlots, MAX_INPUT_SLOTS],
    ['frameBytes', frameBytes, MAX_SLOT_BYTES],
    ['checkpointBytes', checkpointBytes, MAX_SLOT_BYTES],
    ['tickStats', tickStats, 1],
  ])) {
    if (!Number.isInteger(value) || value < 0 || value > max) {
      const sentence = `${name} must be a whole number from 0 to ${max}, not ${value}.`;
      throw new PitvError('PITV_MAILBOX_SIZE', sentence);
    }
  }
  const inputs = HEADER_WORDS * 4;
  const checkpoints = align(inputs + inputSlots * 8);
  const checkpointStride = align(SLOT_HEAD_BYTES + checkpointBytes);
  const frames = checkpoints + 2 * checkpointStride;
  const frameStride = align(SLOT_HEAD_BYTES + frameBytes);
  const stats = frames + 3 * frameStride;
  return {
    inputs,
    checkpoints,
    checkpointStride,
    frames,
    frameStride,
    stats,
    bytes: stats + align(tickStats * TICK_STATS_WORDS * 4),
  };
}

/**
 * Returns views of all parts of a mailbox.
 * @param {ArrayBuffer | SharedArrayBuffer} memory at least mailboxBytes(sizes) long
 * @param {MailboxSizes} sizes
 * @returns {Views}
 */
export function viewsOf(memory, sizes) {
  const at = layout(sizes);
  /** @param {number} offset @param {number} bytes */
  const slot = (offset, bytes) => ({
    head: new Int32Array(memory, offset, SLOT_HEAD_BYTES / 4),
    body: new Uint8Array(memory, offset + SLOT_HEAD_BYTES, bytes),
  });
  return {
    header: new Int32Array(memory, 0, HEADER_WORDS),
    inputs: new Int32Array(memory, at.inputs, sizes.inputSlots * 2),
    tickStats: new Int32Array(memory, at.stats, (sizes.tickStats ?? 0) * TICK_STATS_WORDS),
    frames: [0, 1, 2].map((i) => slot(at.frames + i * at.frameStride, sizes.frameBytes)),
    checkpoints: [0, 1].map((i) =>
      slot(at.checkpoints + i * at.checkpointStride, sizes.checkpointBytes),
    ),
  };
}

/** The main thread's request to the worker. */
export const CONTROL = Object.freeze({ run: 0, stop: 1, inspect: 2 });
/** The worker's state. */
export const STATE = Object.freeze({ starting: 0, running: 1, done: 2, stopped: 3, failed: 4 });

/** Reads and writes the header: the main thread's requests and the worker's state and counters. */
export class ControlBlock {
  /** @param {Int32Array} header of the mailbox */
  constructor(header) {
    this.header = header;
  }

  /** Copies all words to another header and uses it from then on. @param {Int32Array} header */
  moveTo(header) {
    header.set(this.header);
    this.header = header;
  }

  /**
   * Writes the fields that Mailbox.attach() reads. The last worker may have overwritten them.
   * @param {MailboxSizes} sizes
   */
  writeSizes(sizes) {
    const header = this.header;
    header[HEADER.version] = LAYOUT_VERSION;
    header[HEADER.inputSlots] = sizes.inputSlots;
    header[HEADER.frameBytes] = sizes.frameBytes;
    header[HEADER.checkpointBytes] = sizes.checkpointBytes;
    header[HEADER.tickStats] = sizes.tickStats ?? 0;
    Atomics.store(header, HEADER.magic, MAGIC);
  }

  /** Clears the fields of a single worker. The match's counters are kept. */
  resetWorker() {
    for (const word of [HEADER.memoryKib, HEADER.oversizedFrame, HEADER.oversizedCheckpoint]) {
      this.#set(word, 0);
    }
    this.control = CONTROL.run;
    this.state = STATE.starting;
  }

  /** @param {number} word */
  #get(word) {
    return Atomics.load(this.header, word);
  }
  /** @param {number} word @param {number} value */
  #set(word, value) {
    Atomics.store(this.header, word, value);
  }

  /** One of CONTROL. */
  get control() {
    return this.#get(HEADER.control);
  }
  set control(value) {
    this.#set(HEADER.control, value);
  }

  /** Requests an inspection from the worker. @returns {boolean} false when the worker has to stop */
  requestInspection() {
    const { run, inspect } = CONTROL;
    return Atomics.compareExchange(this.header, HEADER.control, run, inspect) === run;
  }
  /** Withdraws or accepts a requested inspection. @returns {boolean} whether one was requested */
  clearInspection() {
    const { run, inspect } = CONTROL;
    return Atomics.compareExchange(this.header, HEADER.control, inspect, run) === inspect;
  }

  /** Whether the worker has to wait between two ticks. */
  get paused() {
    return this.#get(HEADER.paused) === 1;
  }
  set paused(isPaused) {
    this.#set(HEADER.paused, Number(isPaused));
  }

  /** One of STATE. */
  get state() {
    return this.#get(HEADER.state);
  }
  set state(value) {
    this.#set(HEADER.state, value);
  }
  /** Number of ticks of the match, including those of earlier workers. */
  get tick() {
    return this.#get(HEADER.tick);
  }
  set tick(value) {
    this.#set(HEADER.tick, value);
  }
  /** Number of frames that the worker has written, uint32. */
  get frameSequence() {
    return this.#get(HEADER.frameSequence) >>> 0;
  }
  /** Number of ticks that began more than one tick late. */
  get lateTicks() {
    return this.#get(HEADER.lateTicks);
  }
  addLateTick() {
    Atomics.add(this.header, HEADER.lateTicks, 1);
  }

  /** Duration of the last step, microseconds. */
  get stepMicros() {
    return this.#get(HEADER.stepMicros);
  }
  /** @param {number} micros */
  recordStep(micros) {
    this.#set(HEADER.stepMicros, micros);
    if (micros > this.#get(HEADER.stepMicrosMax)) this.#set(HEADER.stepMicrosMax, micros);
  }
  /** Returns the duration of the longest step since the last call, microseconds. */
  takeStepMicrosMax() {
    return Atomics.exchange(this.header, HEADER.stepMicrosMax, 0);
  }

  /** Bytes of this worker's first frame that did not fit and was cut; 0 if all frames fitted. */
  get oversizedFrame() {
    return this.#get(HEADER.oversizedFrame);
  }
  /** @param {number} bytes */
  recordOversizedFrame(bytes) {
    Atomics.compareExchange(this.header, HEADER.oversizedFrame, 0, bytes);
  }
  /** Bytes of this worker's first checkpoint that did not fit and was dropped; 0 if all checkpoints fitted. */
  get oversizedCheckpoint() {
    return this.#get(HEADER.oversizedCheckpoint);
  }
  /** @param {number} bytes */
  recordOversizedCheckpoint(bytes) {
    Atomics.compareExchange(this.header, HEADER.oversizedCheckpoint, 0, bytes);
  }

  /** Size of the worker's heap and buffers, as it reports them, KiB; 0 before the first report. */
  get memoryKib() {
    return this.#get(HEADER.memoryKib);
  }
  set memoryKib(value) {
    this.#set(HEADER.memoryKib, value);
  }
}
