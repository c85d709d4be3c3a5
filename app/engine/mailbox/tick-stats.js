/**
 * Statistics of the ticks, for development. The worker adds to counters that never go back, except that they wrap at
 * 2^32, and the main thread reads how much was added since its last reading.
 *
 *   words 0..31   ticks by their duration: word i counts those from TICK_BUCKET_MICROS[i] on
 *   others        WORD
 */

const BUCKETS = 32;
const BUCKETS_PER_OCTAVE = 2;
const FIRST_MICROS = 4;
const WORD = Object.freeze({
  bodies: BUCKETS,
  contacts: BUCKETS + 1,
  frameBytes: BUCKETS + 2,
  garbageKib: BUCKETS + 3, // all ticks together
  garbageTicks: BUCKETS + 4, // ticks whose garbage is counted
  garbageRest: BUCKETS + 5, // bytes, less than 1 KiB
});
export const TICK_STATS_WORDS = BUCKETS + 6;
const KIB = 1024;

/** Shortest duration in each bucket, microseconds; the first bucket also has the shorter ones. */
export const TICK_BUCKET_MICROS = Object.freeze(
  Array.from({ length: BUCKETS }, (_, i) => FIRST_MICROS * 2 ** (i / BUCKETS_PER_OCTAVE)),
);

/**
 * @typedef {object} TickReading
 * @property {number[]} counts ticks since the last reading, by bucket
 * @property {number} bodies of the last tick @property {number} contacts of the last tick
 * @property {number} frameBytes of the last tick
 * @property {number} garbageBytes since the last reading @property {number} garbageTicks ticks that left them
 */

export class TickStats {
  #words;
  #last;

  /** @param {Int32Array} words */
  constructor(words) {
    this.#words = words;
    this.#last = Uint32Array.from(words);
  }

  /**
   * Adds a tick. Worker only.
   * @param {number} micros duration @param {number} frameBytes
   * @param {number} garbage bytes, -1 if unknown
   */
  add(micros, frameBytes, garbage) {
    const words = this.#words;
    const bucket = Math.floor(BUCKETS_PER_OCTAVE * Math.log2(micros / FIRST_MICROS));
    words[bucket > 0 ? Math.min(bucket, BUCKETS - 1) : 0]++;
    words[WORD.frameBytes] = frameBytes;
    if (garbage < 0) return;
    const bytes = words[WORD.garbageRest] + garbage;
    words[WORD.garbageKib] += Math.floor(bytes / KIB);
    words[WORD.garbageRest] = bytes % KIB;
    words[WORD.garbageTicks]++;
  }

  /** Sets what the last tick simulated. Worker only. @param {number} bodies @param {number} contacts */
  setWorld(bodies, contacts) {
    this.#words[WORD.bodies] = bodies;
    this.#words[WORD.contacts] = contacts;
  }

  /**
   * Reads the ticks since the last call. Main thread only; a broken worker may have written anything.
   * @returns {TickReading}
   */
  take() {
    const now = Uint32Array.from(this.#words);
    const last = this.#last;
    this.#last = now;
    const added = (/** @type {number} */ word) => (now[word] - last[word]) >>> 0;
    const rest = (now[WORD.garbageRest] % KIB) - (last[WORD.garbageRest] % KIB);
    return {
      counts: TICK_BUCKET_MICROS.map((_, bucket) => added(bucket)),
      bodies: now[WORD.bodies],
      contacts: now[WORD.contacts],
      frameBytes: now[WORD.frameBytes],
      garbageBytes: Math.max(0, added(WORD.garbageKib) * KIB + rest),
      garbageTicks: added(WORD.garbageTicks),
    };
  }
}
