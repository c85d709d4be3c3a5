/**
 * What happened of late, for screens and pads. An event is repeated in each frame until so many
 * newer ones came, so that a frame which is skipped loses nothing.
 */

export const EVENTS_KEPT = 16;
const EVENT_WORDS = 4; // type, owner, x, y
/** Float64 words that a ring takes. */
export const RING_WORDS = 1 + EVENTS_KEPT * EVENT_WORDS;

export class EventRing {
  #words;

  /** @param {Float64Array} words RING_WORDS of them, zeroed: the next sequence number, then the events */
  constructor(words) {
    this.#words = words;
  }

  /**
   * @param {number} type index into view.events
   * @param {number} owner slot, or NO_OWNER
   * @param {number} x world units @param {number} y world units
   */
  add(type, owner, x, y) {
    const words = this.#words;
    const at = 1 + (words[0]++ % EVENTS_KEPT) * EVENT_WORDS;
    words[at] = type;
    words[at + 1] = owner;
    words[at + 2] = x;
    words[at + 3] = y;
  }

  /** How many events write() writes. */
  get kept() {
    return Math.min(this.#words[0], EVENTS_KEPT);
  }

  /** Writes the kept events, the oldest first. @param {import('./frame.js').FrameWriter} writer */
  write(writer) {
    const words = this.#words;
    const next = words[0];
    for (let sequence = next - this.kept; sequence < next; sequence++) {
      const at = 1 + (sequence % EVENTS_KEPT) * EVENT_WORDS;
      writer.event(sequence & 0xffff, words[at], words[at + 1], words[at + 2], words[at + 3]);
    }
  }
}
