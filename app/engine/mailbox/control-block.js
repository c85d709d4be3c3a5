/** The header of a mailbox: what the main thread asks of the worker, and the worker's counters. */
import { HEADER, LAYOUT_VERSION, MAGIC } from './layout.js';

/** What the main thread asks of the worker. */
export const CONTROL = Object.freeze({ run: 0, stop: 1, inspect: 2 });
/** How far the worker is. */
export const STATE = Object.freeze({ starting: 0, running: 1, done: 2, stopped: 3, failed: 4 });

export class ControlBlock {
  /** @param {Int32Array} header of the mailbox */
  constructor(header) {
    this.header = header;
  }

  /** Copies all words to another header, which is used from then on. @param {Int32Array} header */
  moveTo(header) {
    header.set(this.header);
    this.header = header;
  }

  /**
   * Writes what Mailbox.attach() reads. The last worker may have written over it.
   * @param {import('./layout.js').MailboxSizes} sizes
   */
  writeSizes(sizes) {
    const header = this.header;
    header[HEADER.version] = LAYOUT_VERSION;
    header[HEADER.inputSlots] = sizes.inputSlots;
    header[HEADER.frameBytes] = sizes.frameBytes;
    header[HEADER.checkpointBytes] = sizes.checkpointBytes;
    header[HEADER.inputLogTicks] = sizes.inputLogTicks ?? 0;
    Atomics.store(header, HEADER.magic, MAGIC);
  }

  /** Clears what belongs to a single worker. The counters of the match are kept. */
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

  /** Asks the worker for an inspection. @returns {boolean} false when it has been told to stop */
  requestInspection() {
    const { run, inspect } = CONTROL;
    return Atomics.compareExchange(this.header, HEADER.control, run, inspect) === run;
  }
  /** Withdraws or accepts a requested inspection. @returns {boolean} was one requested? */
  clearInspection() {
    const { run, inspect } = CONTROL;
    return Atomics.compareExchange(this.header, HEADER.control, inspect, run) === inspect;
  }

  /** One of STATE. */
  get state() {
    return this.#get(HEADER.state);
  }
  set state(value) {
    this.#set(HEADER.state, value);
  }
  /** Ticks of the match so far, those of earlier workers included. */
  get tick() {
    return this.#get(HEADER.tick);
  }
  set tick(value) {
    this.#set(HEADER.tick, value);
  }
  /** Ticks that began more than one tick too late. */
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

  /** Bytes of this worker's first frame that did not fit and was cut; 0 when all fitted. */
  get oversizedFrame() {
    return this.#get(HEADER.oversizedFrame);
  }
  /** @param {number} bytes */
  recordOversizedFrame(bytes) {
    Atomics.compareExchange(this.header, HEADER.oversizedFrame, 0, bytes);
  }
  /** Bytes of this worker's first checkpoint that did not fit and was dropped; 0 when all fitted. */
  get oversizedCheckpoint() {
    return this.#get(HEADER.oversizedCheckpoint);
  }
  /** @param {number} bytes */
  recordOversizedCheckpoint(bytes) {
    Atomics.compareExchange(this.header, HEADER.oversizedCheckpoint, 0, bytes);
  }

  /** Memory of the worker's heap and buffers as it reports itself, KiB; 0 before the first report. */
  get memoryKib() {
    return this.#get(HEADER.memoryKib);
  }
  set memoryKib(value) {
    this.#set(HEADER.memoryKib, value);
  }
}
