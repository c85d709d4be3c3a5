/** Reads and writes the header of a mailbox: the main thread's requests and the worker's state and counters. */
import { HEADER, LAYOUT_VERSION, MAGIC } from './layout.js';

/** The main thread's request to the worker. */
export const CONTROL = Object.freeze({ run: 0, stop: 1, inspect: 2 });
/** The worker's state. */
export const STATE = Object.freeze({ starting: 0, running: 1, done: 2, stopped: 3, failed: 4 });

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
   * @param {import('./layout.js').MailboxSizes} sizes
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
