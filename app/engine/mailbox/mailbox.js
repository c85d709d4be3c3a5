/**
 * The mailbox: shared memory between the main thread and one worker. It carries no messages: the main thread writes
 * input words, the worker writes frames and checkpoints, and each side reads the other's newest complete value when it
 * needs one. The memory is a SharedArrayBuffer (threads) or a mapping that two processes share. Every access that must
 * not be torn uses Atomics, which work on both.
 *
 *   header       32 x int32                        ControlBlock; HEADER in layout.js
 *   inputs       per slot: int32 sequence, word    the sequence counts up after the word has been stored
 *   checkpoints  2 x (16 B head + checkpointBytes) CheckpointSlots
 *   frames       3 x (16 B head + frameBytes)      TripleBuffer
 *   statistics   of the ticks, in development      TickStats
 *
 * A worker may fail at any point, and a faulty one may write anywhere. So the main thread keeps its own state (which
 * frame it reads) outside the mailbox, uses the sizes that it created the mailbox with, and checks every index and
 * length that it reads here. It counts a value out of range in `faults` and uses a valid one instead; it never throws.
 */
import { PitvError } from '../../errors.js';
import {
  HEADER,
  HEADER_WORDS,
  LAYOUT_VERSION,
  MAGIC,
  ControlBlock,
  mailboxBytes,
  viewsOf,
} from './layout.js';
import { CheckpointSlots, TripleBuffer } from './slots.js';
import { TickStats } from './tick-stats.js';

export { CONTROL, STATE, mailboxBytes } from './layout.js';

/** @typedef {import('./layout.js').MailboxSizes} MailboxSizes */

export class Mailbox extends ControlBlock {
  /** Number of indexes and lengths out of range that this side has read. */
  faults = 0;
  /** Whether this side has paused the worker, which may write anything into the mailbox. */
  isPaused = false;
  /** Two words for each slot, also written by the addon's UDP receiver. @type {Int32Array} */
  inputs;
  /** @type {CheckpointSlots} */
  #checkpoints;
  /** @type {TripleBuffer} */
  #frames;
  /** @type {TickStats | undefined} undefined without room for them */
  tickStats;

  /**
   * @param {ArrayBuffer | SharedArrayBuffer} memory
   * @param {MailboxSizes} sizes
   * @throws {PitvError} PITV_MAILBOX_SIZE
   */
  constructor(memory, sizes) {
    const bytes = mailboxBytes(sizes);
    if (memory.byteLength < bytes) {
      const sentence = `The shared memory has ${memory.byteLength} bytes, the mailbox needs ${bytes}.`;
      throw new PitvError('PITV_MAILBOX_SIZE', sentence);
    }
    const views = viewsOf(memory, sizes);
    super(views.header);
    this.sizes = sizes;
    this.inputs = views.inputs;
    [this.#checkpoints, this.#frames] = this.#parts(views);
    if (sizes.tickStats) this.tickStats = new TickStats(views.tickStats);
  }

  /** @param {import('./layout.js').Views} views @returns {[CheckpointSlots, TripleBuffer]} */
  #parts({ header, checkpoints, frames }) {
    const onFault = () => void this.faults++;
    return [
      new CheckpointSlots(header, checkpoints, onFault),
      new TripleBuffer(header, frames, onFault),
    ];
  }

  /**
   * Creates a mailbox in zeroed shared memory.
   * @param {ArrayBuffer | SharedArrayBuffer} memory at least mailboxBytes(sizes) long
   * @param {MailboxSizes} sizes
   * @throws {PitvError} PITV_MAILBOX_SIZE
   */
  static create(memory, sizes) {
    const mailbox = new Mailbox(memory, sizes);
    mailbox.#frames.initialize();
    mailbox.writeSizes(sizes);
    return mailbox;
  }

  /**
   * Opens a mailbox that the other side created.
   * @param {ArrayBuffer | SharedArrayBuffer} memory
   * @throws {PitvError} PITV_MAILBOX_INVALID
   */
  static attach(memory) {
    const header = new Int32Array(memory, 0, HEADER_WORDS);
    if (Atomics.load(header, HEADER.magic) !== MAGIC || header[HEADER.version] !== LAYOUT_VERSION) {
      const sentence = 'This memory contains no mailbox of this version.';
      throw new PitvError('PITV_MAILBOX_INVALID', sentence);
    }
    return new Mailbox(memory, {
      inputSlots: header[HEADER.inputSlots],
      frameBytes: header[HEADER.frameBytes],
      checkpointBytes: header[HEADER.checkpointBytes],
      tickStats: header[HEADER.tickStats],
    });
  }

  /**
   * Stops using the shared memory, so that it can be freed. The mailbox keeps its last counters in memory of this
   * process and is empty otherwise.
   */
  detach() {
    const views = viewsOf(new ArrayBuffer(mailboxBytes(this.sizes)), this.sizes);
    this.moveTo(views.header);
    this.header[HEADER.checkpoint] = 0;
    this.inputs = views.inputs;
    [this.#checkpoints, this.#frames] = this.#parts(views);
    this.#frames.initialize();
    if (this.tickStats) this.tickStats = new TickStats(views.tickStats);
  }

  /** Prepares the mailbox for the next worker after the last one has ended. Main thread only. */
  resetWriter() {
    this.#frames.resetWriter();
    this.resetWorker();
    this.writeSizes(this.sizes);
    this.paused = this.isPaused;
  }

  /** Has the worker wait between two ticks, or go on. Main thread only. @param {boolean} isPaused */
  pause(isPaused) {
    this.isPaused = isPaused;
    this.paused = isPaused;
  }

  // Inputs: main thread -> worker.

  /**
   * Writes the newest word of a slot.
   * @param {number} slot @param {number} word int32
   * @returns {number} the input's sequence number, uint32
   */
  writeInput(slot, word) {
    Atomics.store(this.inputs, slot * 2 + 1, word);
    return (Atomics.add(this.inputs, slot * 2, 1) + 1) >>> 0;
  }
  /**
   * Writes a word unless the slot's word has changed since it was read.
   * @param {number} slot @param {number} old the word that readInput() returned @param {number} word
   * @returns {number} the input's sequence number, uint32; -1 when the slot now contains another word
   */
  replaceInput(slot, old, word) {
    if (Atomics.compareExchange(this.inputs, slot * 2 + 1, old, word) !== old) return -1;
    return (Atomics.add(this.inputs, slot * 2, 1) + 1) >>> 0;
  }
  /**
   * Writes a word with its sequence number, both of another mailbox.
   * @param {number} slot @param {number} word int32 @param {number} sequence uint32
   */
  putInput(slot, word, sequence) {
    Atomics.store(this.inputs, slot * 2 + 1, word);
    Atomics.store(this.inputs, slot * 2, sequence | 0);
  }
  /** @param {number} slot @returns {number} the newest word */
  readInput(slot) {
    return Atomics.load(this.inputs, slot * 2 + 1);
  }
  /**
   * Reads a slot's sequence number. A word that is read afterwards is at least as new.
   * @param {number} slot @returns {number} uint32
   */
  inputSequence(slot) {
    return Atomics.load(this.inputs, slot * 2) >>> 0;
  }

  // Frames: worker -> main thread.

  /** @see TripleBuffer.target */
  get frameTarget() {
    return this.#frames.target;
  }
  /** @see TripleBuffer.publish @param {number} length @param {number} tick */
  publishFrame(length, tick) {
    this.#frames.publish(length, tick);
  }
  /**
   * Takes the newest frame unless it has been taken. Its bytes change after the next call, so copy them before an
   * asynchronous use.
   * @returns {import('./slots.js').Frame | undefined}
   */
  takeFrame() {
    return this.#frames.take();
  }
  /** The frame that takeFrame() returned last. Its length is 0 before the first one. */
  get lastFrame() {
    return this.#frames.last;
  }

  // Checkpoints: worker -> next worker, main thread.

  /** @see CheckpointSlots.target */
  get checkpointTarget() {
    return this.#checkpoints.target;
  }
  /** @see CheckpointSlots.publish @param {number} length @param {number} tick */
  publishCheckpoint(length, tick) {
    this.#checkpoints.publish(length, tick);
  }
  /** @see CheckpointSlots.newest */
  get checkpoint() {
    return this.#checkpoints.newest;
  }
  /** @see CheckpointSlots.copy */
  copyCheckpoint() {
    return this.#checkpoints.copy();
  }
  /** @see CheckpointSlots.put @param {Uint8Array} bytes @param {number} tick */
  putCheckpoint(bytes, tick) {
    this.#checkpoints.put(bytes, tick);
  }
}
