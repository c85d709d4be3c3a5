/**
 * Lowers the detail, and then the resolution of the canvas, when pictures are drawn too slowly for a while, and raises
 * them again in calm times. It does not oscillate: each time that it has to lower again, it waits longer.
 */

/** A measurement ends after this many pictures, or this time: a slow TV needs less to draw soon. */
const WINDOW = 90;
const WINDOW_MS = 2500;
/** Slow measurements in a row until something is lowered. */
const SLOW_WINDOWS = 2;
/** Fast measurements in a row until something is raised; after each time that was too early, twice as many. */
const CALM_WINDOWS = 8;
/** Maximum mean time between pictures. A display of 50 Hz needs 20 ms. */
const SLOW_MS = 21;
/** Factor on the resolution. */
const STEP = 0.8;
/** From this mean time on, three steps are made at once: 25 pictures per second. */
const VERY_SLOW_MS = 40;
export const MIN_QUALITY = 0.5;
/** Longer gaps are ignored: the page was hidden or the machine was busy. */
const PAUSE_MS = 1000;

export class Governor {
  /** @type {'full' | 'low'} */
  detail = 'full';
  /** Part of the full resolution. */
  quality = 1;
  /** Pictures per second in the last window. */
  fps = 0;
  #count = 0;
  #sumMs = 0;
  #slowWindows = 0;
  #calmWindows = 0;
  #calmNeeded = CALM_WINDOWS;
  /** Whether the last step was one up. */
  #raised = false;

  /**
   * Measures a picture.
   * @param {number} elapsedMs since the last picture
   * @returns {boolean} whether detail or quality has changed
   */
  measure(elapsedMs) {
    if (!(elapsedMs > 0) || elapsedMs > PAUSE_MS) return false;
    this.#count++;
    this.#sumMs += elapsedMs;
    if (this.#count < WINDOW && this.#sumMs < WINDOW_MS) return false;
    const meanMs = this.#sumMs / this.#count;
    this.fps = Math.round(1000 / meanMs);
    this.#count = this.#sumMs = 0;
    if (meanMs <= SLOW_MS) {
      this.#slowWindows = 0;
      if (++this.#calmWindows < this.#calmNeeded) return false;
      this.#calmWindows = 0;
      return this.#raise();
    }
    this.#calmWindows = 0;
    if (++this.#slowWindows < SLOW_WINDOWS) return false;
    this.#slowWindows = 0;
    if (this.#raised) this.#calmNeeded *= 2;
    this.#raised = false;
    const hasChanged = this.#lower();
    for (let steps = meanMs > VERY_SLOW_MS ? 3 : 1; steps > 1; steps--) this.#lower();
    return hasChanged;
  }

  /** Makes one step up. @returns {boolean} false if there is nothing left to raise */
  #raise() {
    if (this.quality < 1) this.quality = Math.min(1, this.quality / STEP);
    else if (this.detail === 'low') this.detail = 'full';
    else return false;
    return (this.#raised = true);
  }

  /** Makes one step down. @returns {boolean} false if there is nothing left to lower */
  #lower() {
    if (this.detail === 'full') this.detail = 'low';
    else if (this.quality > MIN_QUALITY) {
      this.quality = Math.max(MIN_QUALITY, this.quality * STEP);
    } else return false;
    return true;
  }
}
