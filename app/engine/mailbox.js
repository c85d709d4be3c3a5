/**
 * The mailbox: one piece of shared memory between the main thread and one worker. It carries no
 * messages: the main thread writes input words, the worker writes frames and checkpoints, and each
 * side reads the other's newest whole value whenever it likes. The memory is a SharedArrayBuffer
 * (threads) or a mapping that two processes share; every access that must not be torn goes through
 * Atomics, which work on both.
 *
 *   header       32 x int32 (HEADER below)
 *   inputs       per slot: int32 sequence, int32 word
 *   checkpoints  2 x (16 B head + checkpointBytes)
 *   frames       3 x (16 B head + frameBytes), a triple buffer: each of the three belongs to the
 *                writer, to the reader, or lies in the middle, and one Atomics.exchange swaps
 *                a side's own with the middle one. Neither side ever waits, and no frame is torn.
 */
import { PitvError } from '../errors.js';

const MAGIC = 0x70695456; // 'piTV'
const LAYOUT_VERSION = 1;
const HEADER_WORDS = 32;
const SLOT_HEAD_BYTES = 16;
const FRESH = 4; // bit of the middle word: the frame there has not been read yet

/** Offsets of the header words, in int32. */
const HEADER = Object.freeze({
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
  checkpoint: 12, // 0: none yet; else 1 + the slot that holds the newest whole one
  checkpointTick: 13,
  stepMicros: 14, // the last step
  stepMicrosMax: 15, // since the counter was last taken
  frameSequence: 16,
});

/** What the main thread asks of the worker. */
export const CONTROL = Object.freeze({ run: 0, stop: 1 });
/** How far the worker is. */
export const STATE = Object.freeze({ starting: 0, running: 1, done: 2, stopped: 3, failed: 4 });

/**
 * @typedef {object} MailboxSizes
 * @property {number} inputSlots 0..256
 * @property {number} frameBytes largest frame, bytes, up to 64 MiB
 * @property {number} checkpointBytes largest checkpoint, bytes, up to 64 MiB
 */

/** @param {number} bytes */
const align = (bytes) => Math.ceil(bytes / 64) * 64;

/**
 * @param {MailboxSizes} sizes
 * @returns {number} bytes of shared memory that a mailbox of these sizes takes
 * @throws {PitvError} PITV_MAILBOX_SIZE
 */
export function mailboxBytes(sizes) {
  return layout(sizes).bytes;
}

/** @param {MailboxSizes} sizes */
function layout({ inputSlots, frameBytes, checkpointBytes }) {
  const limit = 64 * 1024 * 1024;
  for (const [name, value, most] of /** @type {[string, number, number][]} */ ([
    ['inputSlots', inputSlots, 256],
    ['frameBytes', frameBytes, limit],
    ['checkpointBytes', checkpointBytes, limit],
  ])) {
    if (!Number.isInteger(value) || value < 0 || value > most) {
      throw new PitvError(
        'PITV_MAILBOX_SIZE',
        `${name} must be a whole number from 0 to ${most}, not ${value}.`,
      );
    }
  }
  const inputs = HEADER_WORDS * 4;
  const checkpoints = align(inputs + inputSlots * 8);
  const checkpointStride = align(SLOT_HEAD_BYTES + checkpointBytes);
  const frames = checkpoints + 2 * checkpointStride;
  const frameStride = align(SLOT_HEAD_BYTES + frameBytes);
  return {
    inputs,
    checkpoints,
    checkpointStride,
    frames,
    frameStride,
    bytes: frames + 3 * frameStride,
  };
}

export class Mailbox {
  /**
   * @param {ArrayBuffer | SharedArrayBuffer} memory
   * @param {MailboxSizes} sizes
   */
  constructor(memory, sizes) {
    const at = layout(sizes);
    if (memory.byteLength < at.bytes) {
      throw new PitvError(
        'PITV_MAILBOX_SIZE',
        `The shared memory has ${memory.byteLength} bytes, the mailbox needs ${at.bytes}.`,
      );
    }
    this.memory = memory;
    this.sizes = sizes;
    this.header = new Int32Array(memory, 0, HEADER_WORDS);
    this.inputs = new Int32Array(memory, at.inputs, sizes.inputSlots * 2);
    /** @param {number} offset @param {number} bytes */
    const slot = (offset, bytes) => ({
      head: new Int32Array(memory, offset, SLOT_HEAD_BYTES / 4), // [sequence, length, tick, -]
      body: new Uint8Array(memory, offset + SLOT_HEAD_BYTES, bytes),
    });
    this.frames = [0, 1, 2].map((i) => slot(at.frames + i * at.frameStride, sizes.frameBytes));
    this.checkpoints = [0, 1].map((i) =>
      slot(at.checkpoints + i * at.checkpointStride, sizes.checkpointBytes),
    );
  }

  /**
   * Lays a fresh mailbox out in zeroed shared memory.
   * @param {ArrayBuffer | SharedArrayBuffer} memory at least mailboxBytes(sizes) long
   * @param {MailboxSizes} sizes
   * @throws {PitvError} PITV_MAILBOX_SIZE
   */
  static create(memory, sizes) {
    const mailbox = new Mailbox(memory, sizes);
    const { header } = mailbox;
    header[HEADER.version] = LAYOUT_VERSION;
    header[HEADER.inputSlots] = sizes.inputSlots;
    header[HEADER.frameBytes] = sizes.frameBytes;
    header[HEADER.checkpointBytes] = sizes.checkpointBytes;
    header[HEADER.writer] = 0;
    header[HEADER.middle] = 1;
    header[HEADER.reader] = 2;
    Atomics.store(header, HEADER.magic, MAGIC);
    return mailbox;
  }

  /**
   * Takes up a mailbox that the other side created.
   * @param {ArrayBuffer | SharedArrayBuffer} memory
   * @throws {PitvError} PITV_MAILBOX_INVALID
   */
  static attach(memory) {
    const header = new Int32Array(memory, 0, HEADER_WORDS);
    if (Atomics.load(header, HEADER.magic) !== MAGIC || header[HEADER.version] !== LAYOUT_VERSION) {
      throw new PitvError('PITV_MAILBOX_INVALID', 'This memory holds no mailbox of this version.');
    }
    return new Mailbox(memory, {
      inputSlots: header[HEADER.inputSlots],
      frameBytes: header[HEADER.frameBytes],
      checkpointBytes: header[HEADER.checkpointBytes],
    });
  }

  // Inputs: main thread -> worker.

  /**
   * @param {number} slot 0..inputSlots-1
   * @param {number} word int32, opaque here
   * @returns {number} the input's sequence number, uint32, which later frames may echo
   */
  writeInput(slot, word) {
    Atomics.store(this.inputs, slot * 2 + 1, word);
    return (Atomics.add(this.inputs, slot * 2, 1) + 1) >>> 0;
  }

  /** @param {number} slot @returns {number} the newest word */
  readInput(slot) {
    return Atomics.load(this.inputs, slot * 2 + 1);
  }

  /**
   * Read before readInput(): then the word read is at least as new as this sequence number.
   * @param {number} slot @returns {number} uint32
   */
  inputSequence(slot) {
    return Atomics.load(this.inputs, slot * 2) >>> 0;
  }

  // Frames: worker -> main thread.

  /** @returns {Uint8Array} where the worker writes its next frame; changes with every publishFrame() */
  get frameTarget() {
    return this.frames[this.header[HEADER.writer]].body;
  }

  /**
   * Makes what was written to frameTarget the newest frame.
   * @param {number} length bytes @param {number} tick
   */
  publishFrame(length, tick) {
    const { header } = this;
    const mine = header[HEADER.writer];
    const { head } = this.frames[mine];
    const sequence = (header[HEADER.frameSequence] + 1) | 0;
    header[HEADER.frameSequence] = sequence;
    head[0] = sequence;
    head[1] = length;
    head[2] = tick;
    header[HEADER.writer] = Atomics.exchange(header, HEADER.middle, mine | FRESH) & 3;
  }

  /**
   * The newest whole frame, if one came since the last call. The bytes stay whole and unchanged
   * until the next call.
   * @returns {{bytes: Uint8Array, sequence: number, tick: number} | undefined}
   */
  takeFrame() {
    const { header } = this;
    if ((Atomics.load(header, HEADER.middle) & FRESH) === 0) return undefined;
    const mine = Atomics.exchange(header, HEADER.middle, header[HEADER.reader]) & 3;
    header[HEADER.reader] = mine;
    return this.#frameAt(mine);
  }

  /** The frame that takeFrame() gave last; before the first one its length is 0. */
  get lastFrame() {
    return this.#frameAt(this.header[HEADER.reader]);
  }

  /** @param {number} index */
  #frameAt(index) {
    const { head, body } = this.frames[index];
    return { bytes: body.subarray(0, head[1]), sequence: head[0] >>> 0, tick: head[2] };
  }

  // Checkpoints: worker -> the worker that follows it, or the main thread.

  /** @returns {Uint8Array} where the worker writes its next checkpoint */
  get checkpointTarget() {
    return this.checkpoints[this.#nextCheckpoint()].body;
  }

  /** @param {number} length bytes @param {number} tick */
  publishCheckpoint(length, tick) {
    const slot = this.#nextCheckpoint();
    const { head } = this.checkpoints[slot];
    head[0] = (head[0] + 1) | 0;
    head[1] = length;
    head[2] = tick;
    Atomics.store(this.header, HEADER.checkpoint, slot + 1);
    Atomics.store(this.header, HEADER.checkpointTick, tick);
  }

  #nextCheckpoint() {
    const newest = Atomics.load(this.header, HEADER.checkpoint);
    return newest === 1 ? 1 : 0;
  }

  /** The newest whole checkpoint, or undefined. A worker that died while writing one left it alone. */
  get checkpoint() {
    const newest = Atomics.load(this.header, HEADER.checkpoint);
    if (newest === 0) return undefined;
    const { head, body } = this.checkpoints[newest - 1];
    return { bytes: body.subarray(0, head[1]), tick: head[2] };
  }

  /**
   * Puts a checkpoint in from outside, before a worker starts.
   * @param {Uint8Array} bytes @param {number} tick
   * @throws {PitvError} PITV_MAILBOX_SIZE
   */
  putCheckpoint(bytes, tick) {
    if (bytes.byteLength > this.sizes.checkpointBytes) {
      throw new PitvError(
        'PITV_MAILBOX_SIZE',
        `The checkpoint has ${bytes.byteLength} bytes, room is for ${this.sizes.checkpointBytes}.`,
      );
    }
    this.checkpointTarget.set(bytes);
    this.publishCheckpoint(bytes.byteLength, tick);
  }

  // Control and counters.

  /** Makes the mailbox ready for another worker after the last one ended. Main thread only. */
  resetWriter() {
    const { header } = this;
    header[HEADER.writer] = 3 - header[HEADER.reader] - (Atomics.load(header, HEADER.middle) & 3);
    Atomics.store(header, HEADER.control, CONTROL.run);
    Atomics.store(header, HEADER.state, STATE.starting);
  }

  get control() {
    return Atomics.load(this.header, HEADER.control);
  }
  set control(value) {
    Atomics.store(this.header, HEADER.control, value);
  }
  get state() {
    return Atomics.load(this.header, HEADER.state);
  }
  set state(value) {
    Atomics.store(this.header, HEADER.state, value);
  }
  /** Ticks stepped so far, the last worker's included. */
  get tick() {
    return Atomics.load(this.header, HEADER.tick);
  }
  set tick(value) {
    Atomics.store(this.header, HEADER.tick, value);
  }
  /** Ticks that began more than one tick too late. */
  get lateTicks() {
    return Atomics.load(this.header, HEADER.lateTicks);
  }
  addLateTick() {
    Atomics.add(this.header, HEADER.lateTicks, 1);
  }
  /** How long the last step took, microseconds. */
  get stepMicros() {
    return Atomics.load(this.header, HEADER.stepMicros);
  }
  /** @param {number} micros */
  noteStep(micros) {
    Atomics.store(this.header, HEADER.stepMicros, micros);
    if (micros > Atomics.load(this.header, HEADER.stepMicrosMax)) {
      Atomics.store(this.header, HEADER.stepMicrosMax, micros);
    }
  }
  /** The longest step since the last call, microseconds. */
  takeStepMicrosMax() {
    return Atomics.exchange(this.header, HEADER.stepMicrosMax, 0);
  }
}
