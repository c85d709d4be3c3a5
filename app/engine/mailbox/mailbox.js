/**
 * The mailbox: one piece of shared memory between the main thread and one worker. It carries no
 * messages: the main thread writes input words, the worker writes frames and checkpoints, and each
 * side reads the other's newest whole value whenever it likes. The memory is a SharedArrayBuffer
 * (threads) or a mapping that two processes share; every access that must not be torn goes through
 * Atomics, which work on both.
 *
 *   header       32 x int32 (HEADER in mailbox/layout.js)
 *   inputs       per slot: int32 sequence, int32 word
 *   checkpoints  2 x (16 B head + checkpointBytes), written in turn
 *   frames       3 x (16 B head + frameBytes), a triple buffer: each of the three belongs to the
 *                writer, to the reader, or lies in the middle, and one Atomics.exchange swaps
 *                a side's own with the middle one. Neither side ever waits, and no frame is torn.
 *   input log    a ring of what the worker read at each tick (mailbox/input-log.js)
 *
 * A worker may break at any point, and a broken one may scribble. So the main thread keeps what it
 * owns (which frame it reads) to itself, takes sizes from what it made the mailbox with, and checks
 * every index and length it finds here: what is out of range is counted in `faults` and replaced,
 * never followed and never thrown about.
 */
import { PitvError } from '../../errors.js';
import { InputLog } from './input-log.js';
import { HEADER, HEADER_WORDS, LAYOUT_VERSION, MAGIC, mailboxBytes, viewsOf } from './layout.js';

export { mailboxBytes } from './layout.js';

/** @typedef {import('./layout.js').MailboxSizes} MailboxSizes */

const FRESH = 4; // bit of the middle word: the frame there has not been read yet

/** What the main thread asks of the worker. */
export const CONTROL = Object.freeze({ run: 0, stop: 1, inspect: 2 });
/** How far the worker is. */
export const STATE = Object.freeze({ starting: 0, running: 1, done: 2, stopped: 3, failed: 4 });

/**
 * @param {Pick<ReturnType<typeof viewsOf>, 'header' | 'logEntries'>} views
 * @param {MailboxSizes} sizes
 * @returns {InputLog | undefined} undefined: this mailbox has no room for one
 */
function logOf({ header, logEntries }, { inputSlots, inputLogTicks = 0 }) {
  return inputLogTicks > 0
    ? new InputLog(header, logEntries, inputSlots, inputLogTicks)
    : undefined;
}

export class Mailbox {
  /**
   * @param {ArrayBuffer | SharedArrayBuffer} memory
   * @param {MailboxSizes} sizes
   */
  constructor(memory, sizes) {
    const bytes = mailboxBytes(sizes);
    if (memory.byteLength < bytes) {
      const sentence = `The shared memory has ${memory.byteLength} bytes, the mailbox needs ${bytes}.`;
      throw new PitvError('PITV_MAILBOX_SIZE', sentence);
    }
    this.sizes = sizes;
    /** Indexes and lengths out of range that this side has found so far. */
    this.faults = 0;
    const views = viewsOf(memory, sizes);
    this.memory = memory;
    this.header = views.header;
    this.inputs = views.inputs;
    this.frames = views.frames;
    this.checkpoints = views.checkpoints;
    this.inputLog = logOf(views, sizes);
    // The reader's own word is the main thread's; the one in the header is for who takes over.
    this.#reader = Math.min(this.header[HEADER.reader] & 3, 2);
  }

  #reader;

  /**
   * Lets go of the shared memory, which is about to be freed: what is called afterwards finds an
   * empty mailbox of this process alone, with the last counters.
   */
  leave() {
    const { header, sizes } = this;
    this.memory = new ArrayBuffer(mailboxBytes(sizes));
    const views = viewsOf(this.memory, sizes);
    views.header.set(header);
    views.header[HEADER.middle] = 1;
    views.header[HEADER.writer] = 0;
    views.header[HEADER.checkpoint] = 0;
    this.#reader = 2;
    const { logEntries, ...rest } = views;
    Object.assign(this, rest);
    this.inputLog = logOf({ header: rest.header, logEntries }, sizes);
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
    header[HEADER.writer] = 0;
    header[HEADER.middle] = 1;
    header[HEADER.reader] = 2;
    mailbox.#reader = 2;
    mailbox.#restoreHeader();
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
      inputLogTicks: header[HEADER.inputLogTicks],
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

  /**
   * Writes only if nobody else has written meanwhile.
   * @param {number} slot @param {number} old the word that readInput() gave @param {number} word
   * @returns {number} the input's sequence number, uint32; -1: there is another word by now
   */
  replaceInput(slot, old, word) {
    if (Atomics.compareExchange(this.inputs, slot * 2 + 1, old, word) !== old) return -1;
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
   * until the next call, and no longer: copy them before anything asynchronous gets them.
   * @returns {{bytes: Uint8Array, sequence: number, tick: number} | undefined}
   */
  takeFrame() {
    const { header } = this;
    if ((Atomics.load(header, HEADER.middle) & FRESH) === 0) return undefined;
    const given = this.#reader;
    const taken = Atomics.exchange(header, HEADER.middle, given) & 3;
    this.#reader = taken < 3 && taken !== given ? taken : this.#spareFrame(given);
    header[HEADER.reader] = this.#reader;
    return this.#frameAt(this.#reader);
  }

  /**
   * For a middle word that made no sense: the frame that neither side has.
   * @param {number} given the frame that now lies in the middle
   */
  #spareFrame(given) {
    this.faults++;
    const writer = this.header[HEADER.writer];
    return [0, 1, 2].find((i) => i !== given && i !== writer) ?? 0;
  }

  /** The frame that takeFrame() gave last; before the first one its length is 0. */
  get lastFrame() {
    return this.#frameAt(this.#reader);
  }

  /** @param {number} index 0..2 */
  #frameAt(index) {
    const { head, body } = this.frames[index];
    return {
      bytes: body.subarray(0, this.#lengthOf(head, body)),
      sequence: head[0] >>> 0,
      tick: head[2],
    };
  }

  /** @param {Int32Array} head @param {Uint8Array} body @returns {number} 0..body.length */
  #lengthOf(head, body) {
    const length = head[1];
    if (length >= 0 && length <= body.length) return length;
    this.faults++;
    return length < 0 ? 0 : body.length;
  }

  // Checkpoints: worker -> the worker that follows it, or the main thread.

  /** @returns {Uint8Array} where the worker writes its next checkpoint; publishCheckpoint() ends it */
  get checkpointTarget() {
    const { head, body } = this.checkpoints[this.#nextCheckpoint()];
    Atomics.or(head, 0, 1);
    // On arm64 what is stored after an atomic store may be seen before it, but not what is stored
    // after an atomic load that follows it (Arm ARM, "Load-Acquire, Store-Release").
    Atomics.load(head, 0);
    return body;
  }

  /** @param {number} length bytes @param {number} tick */
  publishCheckpoint(length, tick) {
    const slot = this.#nextCheckpoint();
    const { head } = this.checkpoints[slot];
    head[1] = length;
    head[2] = tick;
    Atomics.store(head, 0, ((head[0] | 1) + 1) | 0);
    Atomics.store(this.header, HEADER.checkpoint, slot + 1);
    Atomics.store(this.header, HEADER.checkpointTick, tick);
  }

  #nextCheckpoint() {
    const newest = Atomics.load(this.header, HEADER.checkpoint);
    return newest === 1 ? 1 : 0;
  }

  /**
   * The newest whole checkpoint, or undefined. A worker that died while writing one left it alone.
   * The bytes are the mailbox's own: while a worker runs, copyCheckpoint() is the way to read them.
   * @returns {{bytes: Uint8Array, tick: number} | undefined}
   */
  get checkpoint() {
    const newest = Atomics.load(this.header, HEADER.checkpoint);
    if (newest === 0) return undefined;
    const slot = this.checkpoints[newest - 1];
    if (!slot || slot.head[1] < 0 || slot.head[1] > slot.body.length) {
      this.faults++;
      return undefined;
    }
    return { bytes: slot.body.subarray(0, slot.head[1]), tick: slot.head[2] };
  }

  /**
   * A copy of the newest checkpoint, whole even if the worker writes on meanwhile.
   * @returns {{bytes: Uint8Array, tick: number} | undefined}
   */
  copyCheckpoint() {
    for (let tries = 0; tries < 8; tries++) {
      const newest = Atomics.load(this.header, HEADER.checkpoint);
      const head = this.checkpoints[newest - 1]?.head;
      const before = head && Atomics.load(head, 0);
      const found = this.checkpoint;
      if (!found || !head) return undefined;
      const copy = { bytes: found.bytes.slice(), tick: found.tick };
      // Not a load: what was read before an atomic load may have been read after it; not so a store.
      const unchanged = Atomics.or(head, 0, 0) === before && (Number(before) & 1) === 0;
      if (unchanged && Atomics.load(this.header, HEADER.checkpoint) === newest) return copy;
    }
    return undefined;
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
    const reader = this.#reader;
    let middle = Atomics.load(header, HEADER.middle) & 3;
    if (middle > 2 || middle === reader) {
      this.faults++;
      middle = (reader + 1) % 3;
      Atomics.store(header, HEADER.middle, middle);
    }
    header[HEADER.writer] = 3 - reader - middle;
    header[HEADER.reader] = reader;
    Atomics.store(header, HEADER.memoryKib, 0);
    Atomics.store(header, HEADER.oversizedFrame, 0);
    Atomics.store(header, HEADER.control, CONTROL.run);
    Atomics.store(header, HEADER.state, STATE.starting);
    this.#restoreHeader();
  }

  /** What Mailbox.attach() reads, in case the last worker wrote over it. */
  #restoreHeader() {
    const { header, sizes } = this;
    header[HEADER.version] = LAYOUT_VERSION;
    header[HEADER.inputSlots] = sizes.inputSlots;
    header[HEADER.frameBytes] = sizes.frameBytes;
    header[HEADER.checkpointBytes] = sizes.checkpointBytes;
    header[HEADER.inputLogTicks] = sizes.inputLogTicks ?? 0;
    Atomics.store(header, HEADER.magic, MAGIC);
  }

  get control() {
    return Atomics.load(this.header, HEADER.control);
  }
  set control(value) {
    Atomics.store(this.header, HEADER.control, value);
  }

  /** Main thread. @returns {boolean} false: it is to stop, and has no time */
  askInspection() {
    const { run, inspect } = CONTROL;
    return Atomics.compareExchange(this.header, HEADER.control, run, inspect) === run;
  }

  /** @returns {boolean} has an inspection been asked for? It is not any more */
  takeInspection() {
    const { run, inspect } = CONTROL;
    return Atomics.compareExchange(this.header, HEADER.control, inspect, run) === inspect;
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
  /** Bytes of the first frame of this worker that was too long and was cut; 0: none was. */
  get oversizedFrame() {
    return Atomics.load(this.header, HEADER.oversizedFrame);
  }
  /** @param {number} bytes */
  noteOversizedFrame(bytes) {
    Atomics.compareExchange(this.header, HEADER.oversizedFrame, 0, bytes);
  }
  /** What the worker's heap and buffers take by its own account, KiB; 0 until it said so. */
  get memoryKib() {
    return Atomics.load(this.header, HEADER.memoryKib);
  }
  set memoryKib(value) {
    Atomics.store(this.header, HEADER.memoryKib, value);
  }
}
