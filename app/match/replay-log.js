/**
 * Records what is needed to replay the last seconds of a match bit for bit: the inputs of each tick as the worker read
 * them, checkpoints, and rosters.
 */
import { PitvError } from '../errors.js';

const TICK_HZ = 60;
/** These last seconds are always kept. */
export const KEEP_SECONDS = 30;
/** A pin keeps at most this much, which bounds the memory. */
export const PIN_SECONDS = 120;
/** Time between checkpoints. A replay steps all ticks from the checkpoint before its first tick. */
const CHECKPOINT_TICKS = 10 * TICK_HZ;
/** Larger checkpoints are kept less often: that of a thousand bodies has 79 KB. */
const LARGE_BYTES = 32 * 1024;
const LARGE_CHECKPOINT_TICKS = 30 * TICK_HZ;

/**
 * @typedef {{slot: number, name: string | null, color: string | null}[]} Roster players by slot
 *
 * @typedef {object} Replay a part of a match that can be played again; structured-clonable
 * @property {Uint8Array} checkpoint @property {number} checkpointTick
 * @property {number} slots
 * @property {Int32Array} words of all slots, for each tick from checkpointTick + 1 on
 * @property {number} fromTick the first tick that is shown @property {number} toTick the last one
 * @property {{tick: number, roster: Roster}[]} rosters in the order of ticks
 *
 * @typedef {object} Recorded the part of the mailbox that is recorded
 * @property {{drain: (take: (tick: number, words: Int32Array) => void) => boolean} | undefined} inputLog
 * @property {() => {bytes: Uint8Array, tick: number} | undefined} copyCheckpoint
 */

export class ReplayLog {
  #slots;
  #capacity;
  #checkpointTicks;
  /** By tick, modulo the capacity. @type {Int32Array | undefined} */
  #words;
  /**
   * In the order of ticks. The inputs of all ticks after the first one are kept.
   * @type {{tick: number, bytes: Uint8Array}[]}
   */
  #checkpoints = [];
  /** @type {{tick: number, roster: Roster}[]} */
  #rosters = [];
  /** The newest tick whose inputs are kept, -1 without any. */
  #last = -1;
  /** The oldest tick from which there is no gap up to #last. */
  #first = 0;
  /** @type {Map<object, number>} pin -> tick from which everything is kept */
  #pins = new Map();

  /** @param {{inputSlots: number, checkpointBytes: number}} sizes of the mailbox */
  constructor({ inputSlots, checkpointBytes }) {
    this.#slots = inputSlots;
    this.#checkpointTicks =
      checkpointBytes > LARGE_BYTES ? LARGE_CHECKPOINT_TICKS : CHECKPOINT_TICKS;
    this.#capacity = this.#capacityFor(KEEP_SECONDS);
  }

  /** @param {number} seconds to keep @returns {number} ticks */
  #capacityFor(seconds) {
    return seconds * TICK_HZ + 2 * this.#checkpointTicks;
  }

  /** The newest tick that can be shown. */
  get lastTick() {
    return this.#last;
  }
  /** The oldest tick that can be shown. */
  get firstTick() {
    return this.#checkpoints[0]?.tick ?? this.#last;
  }

  /** Records the players by slot, from the newest tick on. @param {Roster} roster */
  recordRoster(roster) {
    const tick = Math.max(0, this.#last);
    if (this.#rosters.at(-1)?.tick === tick) this.#rosters.pop(); // no frame shows it
    this.#rosters.push({ tick, roster });
  }

  /**
   * Records the ticks since the last call. Call it every few seconds, because the log in the mailbox is short.
   * @param {Recorded} mailbox
   */
  record(mailbox) {
    this.#words ??= new Int32Array(this.#capacity * this.#slots);
    this.#drain(mailbox);
    const newest = this.#checkpoints.at(-1);
    if (newest && this.#last - newest.tick < this.#checkpointTicks) return;
    const checkpoint = mailbox.copyCheckpoint();
    if (!checkpoint) return;
    this.#drain(mailbox); // by now the log has all ticks before the checkpoint
    // The log of a match that has just begun is empty.
    if (this.#last < 0) this.#restart(checkpoint.tick);
    if (checkpoint.tick + 1 < this.#first || checkpoint.tick > this.#last) return;
    if (newest && checkpoint.tick <= newest.tick) return;
    this.#checkpoints.push(checkpoint);
    this.#forget();
  }

  /** @param {Recorded} mailbox */
  #drain(mailbox) {
    const whole = mailbox.inputLog?.drain((tick, words) => this.#recordTick(tick, words));
    if (whole === false && this.#checkpoints.length > 0) this.#checkpoints.length = 0;
  }

  /** @param {number} tick @param {Int32Array} words */
  #recordTick(tick, words) {
    if (tick < 1) return; // a broken worker may write anything
    if (tick > this.#last + 1 || tick < this.#first) {
      this.#checkpoints.length = 0; // a gap: no replay can cross it
      this.#restart(tick - 1);
    } else if (tick <= this.#last) {
      // The worker failed, and another one resumed from a checkpoint. The ticks after it are void.
      this.#checkpoints = this.#checkpoints.filter((one) => one.tick < tick);
      this.#rosters = this.#rosters.map((one) => ({ ...one, tick: Math.min(one.tick, tick - 1) }));
    }
    this.#last = tick;
    this.#words?.set(words, (tick % this.#capacity) * this.#slots);
    if (tick - this.#first >= this.#capacity) this.#first = tick - this.#capacity + 1;
  }

  /** @param {number} tick the tick before the first recorded one */
  #restart(tick) {
    this.#first = tick + 1;
    this.#last = tick;
  }

  /** Deletes data that is older than KEEP_SECONDS and not pinned. */
  #forget() {
    const oldest = Math.min(this.#last - KEEP_SECONDS * TICK_HZ, ...this.#pins.values());
    while (this.#checkpoints.length > 1 && this.#checkpoints[1].tick <= oldest)
      this.#checkpoints.shift();
    while (this.#checkpoints.length > 0 && this.#checkpoints[0].tick + 1 < this.#first)
      this.#checkpoints.shift();
    while (this.#rosters.length > 1 && this.#rosters[1].tick <= this.firstTick)
      this.#rosters.shift();
  }

  /** Keeps everything from the newest tick on, for up to PIN_SECONDS. @returns {object} for unpin() */
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

  /** @param {number} tick a recorded one @returns {Int32Array} a view */
  #wordsOf(tick) {
    const at = (tick % this.#capacity) * this.#slots;
    return /** @type {Int32Array} */ (this.#words).subarray(at, at + this.#slots);
  }

  /** Ends a pin. @param {object} pin @returns {number} the tick at which it was set */
  unpin(pin) {
    const tick = this.#pins.get(pin) ?? this.#last;
    this.#pins.delete(pin);
    return tick;
  }

  /**
   * Returns a part of the match.
   * @param {number} fromTick the oldest tick counts when this one is no longer kept
   * @param {number} [toTick] the newest tick by default
   * @returns {Replay}
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
      rosters: this.#rosters.filter((one) => one.tick <= toTick),
    };
  }
}
