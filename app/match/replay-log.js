/**
 * What has to be kept of a match so that any of its last seconds can be played again, bit for bit: the
 * inputs of each tick as its worker read them, a checkpoint now and then, and who sat where.
 */
import { PitvError } from '../errors.js';

const TICK_HZ = 60;
/** The last so many seconds can be had at any time. */
export const KEEP_SECONDS = 30;
/** The longest that may be pinned, which bounds the memory. */
export const PIN_SECONDS = 120;
/** To play a moment again, the ticks from the checkpoint before it have to be stepped. */
const CHECKPOINT_TICKS = 10 * TICK_HZ;
/** A large one less often: one match of a thousand bodies has 79 KB. */
const LARGE_BYTES = 32 * 1024;
const LARGE_CHECKPOINT_TICKS = 30 * TICK_HZ;

/**
 * @typedef {{slot: number, name: string | null, color: string | null}[]} Cast who sits where
 *
 * @typedef {object} Take a part of a match that can be played again; structured-clonable
 * @property {Uint8Array} checkpoint @property {number} checkpointTick
 * @property {number} slots
 * @property {Int32Array} words of all slots, for each tick from checkpointTick + 1 on
 * @property {number} fromTick what is shown first @property {number} toTick and last
 * @property {{tick: number, cast: Cast}[]} casts by tick, rising
 *
 * @typedef {object} Recorded the mailbox, as far as it is needed here
 * @property {{drain: (take: (tick: number, words: Int32Array) => void) => boolean} | undefined} inputLog
 * @property {() => {bytes: Uint8Array, tick: number} | undefined} copyCheckpoint
 */

export class History {
  #slots;
  #capacity;
  #checkpointTicks;
  /** By tick, modulo the capacity. @type {Int32Array | undefined} */
  #words;
  /** Rising; the inputs of all ticks from the first of them on are there. @type {{tick: number, bytes: Uint8Array}[]} */
  #checkpoints = [];
  /** @type {{tick: number, cast: Cast}[]} */
  #casts = [];
  /** The newest tick whose inputs are there; -1: none. */
  #last = -1;
  /** The oldest one that goes on from there without a gap. */
  #first = 0;
  /** @type {Map<object, number>} ticks from which on somebody needs all */
  #pins = new Map();

  /** @param {{inputSlots: number, checkpointBytes: number}} sizes of the mailbox */
  constructor({ inputSlots, checkpointBytes }) {
    this.#slots = inputSlots;
    this.#checkpointTicks =
      checkpointBytes > LARGE_BYTES ? LARGE_CHECKPOINT_TICKS : CHECKPOINT_TICKS;
    this.#capacity = this.#capacityFor(KEEP_SECONDS);
  }

  /** @param {number} seconds that have to be there @returns {number} ticks */
  #capacityFor(seconds) {
    return seconds * TICK_HZ + 2 * this.#checkpointTicks;
  }

  /** The newest tick that can be shown. */
  get lastTick() {
    return this.#last;
  }
  /** The oldest one. */
  get firstTick() {
    return this.#checkpoints[0]?.tick ?? this.#last;
  }

  /** @param {Cast} cast who sits where from now on */
  noteCast(cast) {
    const tick = Math.max(0, this.#last);
    if (this.#casts.at(-1)?.tick === tick) this.#casts.pop(); // nothing shows it
    this.#casts.push({ tick, cast });
  }

  /**
   * Takes in what is new. To be called at least every few seconds: the log in the mailbox is short.
   * @param {Recorded} mailbox
   */
  take(mailbox) {
    this.#words ??= new Int32Array(this.#capacity * this.#slots);
    this.#drain(mailbox);
    const newest = this.#checkpoints.at(-1);
    if (newest && this.#last - newest.tick < this.#checkpointTicks) return;
    const checkpoint = mailbox.copyCheckpoint();
    if (!checkpoint) return;
    this.#drain(mailbox); // all ticks before it are in the log by now
    // Of a match that has just begun nothing is in the log yet.
    if (this.#last < 0) this.#restart(checkpoint.tick);
    if (checkpoint.tick + 1 < this.#first || checkpoint.tick > this.#last) return;
    if (newest && checkpoint.tick <= newest.tick) return;
    this.#checkpoints.push(checkpoint);
    this.#forget();
  }

  /** @param {Recorded} mailbox */
  #drain(mailbox) {
    const whole = mailbox.inputLog?.drain((tick, words) => this.#note(tick, words));
    if (whole === false && this.#checkpoints.length > 0) this.#checkpoints.length = 0;
  }

  /** @param {number} tick @param {Int32Array} words */
  #note(tick, words) {
    if (tick < 1) return; // a broken worker may write anything
    if (tick > this.#last + 1 || tick < this.#first) {
      this.#checkpoints.length = 0; // a gap: what was before can't be followed up to here
      this.#restart(tick - 1);
    } else if (tick <= this.#last) {
      // The worker broke, and another one went on from a checkpoint: what came after it never was.
      this.#checkpoints = this.#checkpoints.filter((one) => one.tick < tick);
      this.#casts = this.#casts.map((one) => ({ ...one, tick: Math.min(one.tick, tick - 1) }));
    }
    this.#last = tick;
    this.#words?.set(words, (tick % this.#capacity) * this.#slots);
    if (tick - this.#first >= this.#capacity) this.#first = tick - this.#capacity + 1;
  }

  /** @param {number} tick the last one whose inputs are not needed */
  #restart(tick) {
    this.#first = tick + 1;
    this.#last = tick;
  }

  /** Lets go of what nobody can ask for any more. */
  #forget() {
    const oldest = Math.min(this.#last - KEEP_SECONDS * TICK_HZ, ...this.#pins.values());
    while (this.#checkpoints.length > 1 && this.#checkpoints[1].tick <= oldest)
      this.#checkpoints.shift();
    while (this.#checkpoints.length > 0 && this.#checkpoints[0].tick + 1 < this.#first)
      this.#checkpoints.shift();
    while (this.#casts.length > 1 && this.#casts[1].tick <= this.firstTick) this.#casts.shift();
  }

  /** From here on all is kept, for PIN_SECONDS. @returns {object} for unpin() */
  pin() {
    this.#growTo(this.#capacityFor(PIN_SECONDS));
    const pin = {};
    this.#pins.set(pin, Math.max(0, this.#last));
    return pin;
  }

  /** @param {number} capacity ticks */
  #growTo(capacity) {
    if (capacity <= this.#capacity) return;
    const words = this.#words && new Int32Array(capacity * this.#slots);
    for (let tick = Math.max(1, this.#first); tick <= this.#last; tick++) {
      words?.set(this.#wordsOf(tick), (tick % capacity) * this.#slots);
    }
    this.#words = words;
    this.#capacity = capacity;
  }

  /** @param {number} tick one that is there @returns {Int32Array} a view */
  #wordsOf(tick) {
    const at = (tick % this.#capacity) * this.#slots;
    return /** @type {Int32Array} */ (this.#words).subarray(at, at + this.#slots);
  }

  /** @param {object} pin @returns {number} the tick it was set at */
  unpin(pin) {
    const tick = this.#pins.get(pin) ?? this.#last;
    this.#pins.delete(pin);
    return tick;
  }

  /**
   * @param {number} fromTick @param {number} [toTick] the newest if not said
   * @returns {Take} from there, or as far back as there is something
   * @throws {PitvError} PITV_CLIP_EMPTY
   */
  clip(fromTick, toTick = this.#last) {
    const from = Math.max(fromTick, this.firstTick);
    const start = this.#checkpoints.findLast(({ tick }) => tick <= from);
    if (!start || !this.#words || toTick - from < 2) {
      throw new PitvError(
        'PITV_CLIP_EMPTY',
        'Nothing of this match has been recorded yet. Try again in a second.',
      );
    }
    const slots = this.#slots;
    const words = new Int32Array((toTick - start.tick) * slots);
    for (let tick = start.tick + 1, at = 0; tick <= toTick; tick++, at += slots) {
      words.set(this.#wordsOf(tick), at);
    }
    return {
      checkpoint: start.bytes,
      checkpointTick: start.tick,
      slots,
      words,
      fromTick: from,
      toTick,
      casts: this.#casts.filter((one) => one.tick <= toTick),
    };
  }
}
