/** The newest events of a match. Each frame repeats them, so that a client that skips frames misses no event. */
import { MAX_EVENTS } from './frame.js';

const EVENT_WORDS = 4; // type, owner, x, y
/** Size of a ring, Float64 words. */
export const RING_WORDS = 1 + MAX_EVENTS * EVENT_WORDS;

export class EventRing {
  #words;

  /** @param {Float64Array} words RING_WORDS zeroed words: the next sequence number, then the events */
  constructor(words) {
    this.#words = words;
  }

  /**
   * Adds an event; it replaces the oldest one.
   * @param {number} type index into view.events @param {number} owner slot, or NO_OWNER
   * @param {number} x world units @param {number} y world units
   */
  add(type, owner, x, y) {
    const words = this.#words;
    const at = 1 + (words[0]++ % MAX_EVENTS) * EVENT_WORDS;
    words[at] = type;
    words[at + 1] = owner;
    words[at + 2] = x;
    words[at + 3] = y;
  }

  /** Number of events in the ring. */
  get length() {
    return Math.min(this.#words[0], MAX_EVENTS);
  }

  /** Writes the events, oldest first. @param {import('./frame-writer.js').FrameWriter} writer */
  write(writer) {
    const words = this.#words;
    const next = words[0];
    for (let sequence = next - this.length; sequence < next; sequence++) {
      const at = 1 + (sequence % MAX_EVENTS) * EVENT_WORDS;
      writer.event(sequence & 0xffff, words[at], words[at + 1], words[at + 2], words[at + 3]);
    }
  }
}
