/**
 * Picks the events a page has not shown yet. A frame repeats the last few events with running
 * 16-bit numbers, so a skipped frame loses none, and none is shown twice.
 */
export class EventTracker {
  /** @type {number | null} */
  #last = null;

  /** Forgets what was seen: the next frame's events count as old. */
  reset() {
    this.#last = null;
  }

  /**
   * @template {{sequence: number}} E
   * @param {E[]} events of one frame, in any order
   * @returns {E[]} the new ones, oldest first
   */
  fresh(events) {
    if (events.length === 0) {
      // A match starts with an empty list, so its first event is news.
      this.#last ??= 0xffff;
      return [];
    }
    const ordered = [...events].sort((a, b) => distance(b.sequence, a.sequence));
    const newest = ordered[ordered.length - 1].sequence;
    const last = this.#last;
    this.#last = newest;
    // The first look: nothing is news. Nor is it where the numbers went back, after a restart.
    if (last === null) return [];
    return ordered.filter((event) => distance(last, event.sequence) > 0);
  }
}

/** @param {number} from @param {number} to @returns {number} -32768..32767 steps from one number to another, around the end */
function distance(from, to) {
  return ((to - from) << 16) >> 16;
}
