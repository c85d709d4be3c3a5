/**
 * Keeps a weak TV's picture smooth: when pictures come too slowly for a while, the canvas gets
 * fewer pixels. It never climbs back, so it cannot swing.
 */

const WINDOW = 90;
/** Slower than this on average (50 pictures a second) is too slow. */
const SLOW_MS = 20;
const STEP = 0.8;
export const MIN_QUALITY = 0.5;
/** A longer gap is a hidden page or a hiccup of the machine, not the drawing. */
const PAUSE_MS = 250;

export class Governor {
  /** share of the full resolution */
  quality = 1;
  /** pictures a second, over the last window */
  fps = 0;
  #count = 0;
  #sumMs = 0;
  #slowWindows = 0;

  /**
   * @param {number} elapsedMs since the last picture
   * @returns {boolean} whether the quality has changed
   */
  measure(elapsedMs) {
    if (!(elapsedMs > 0) || elapsedMs > PAUSE_MS) return false;
    this.#count++;
    this.#sumMs += elapsedMs;
    if (this.#count < WINDOW) return false;
    const meanMs = this.#sumMs / this.#count;
    this.fps = Math.round(1000 / meanMs);
    this.#count = this.#sumMs = 0;
    this.#slowWindows = meanMs > SLOW_MS ? this.#slowWindows + 1 : 0;
    if (this.#slowWindows < 2 || this.quality <= MIN_QUALITY) return false;
    this.#slowWindows = 0;
    this.quality = Math.max(MIN_QUALITY, this.quality * STEP);
    return true;
  }
}
