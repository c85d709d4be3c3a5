/**
 * Finds the events that a page has not shown yet. Each frame repeats the newest events, numbered with 16
 * bits, so a skipped frame loses no event, and no event is shown twice.
 */
export class EventTracker {
  /** @type {number | null} */
  #last = null;

  /** Forgets the known events. The events of the next frame count as old. */
  reset() {
    this.#last = null;
  }

  /**
   * Returns the new events of a frame.
   * @template {{sequence: number}} E
   * @param {E[]} events of one frame, in any order
   * @returns {E[]} new events, oldest first
   */
  fresh(events) {
    if (events.length === 0) {
      // A match starts with an empty list, so its first event is new.
      this.#last ??= 0xffff;
      return [];
    }
    const ordered = [...events].sort((a, b) => distance(b.sequence, a.sequence));
    const newest = ordered[ordered.length - 1].sequence;
    const last = this.#last;
    this.#last = newest;
    // All events of the first frame are old. So are events whose numbers went back, after a restart.
    if (last === null) return [];
    return ordered.filter((event) => distance(last, event.sequence) > 0);
  }
}

/** @param {number} from @param {number} to @returns {number} -32768..32767 */
const distance = (from, to) => ((to - from) << 16) >> 16;
