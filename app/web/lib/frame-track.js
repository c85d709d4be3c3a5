import { InterpolatedBodies } from './frame-view.js';

/** @typedef {import('./frame-view.js').FrameView} FrameView */

/** Frames that are all there before they are played: a replay. */
export class FrameTrack {
  bodies = new InterpolatedBodies();
  #at = 0;

  /** @param {FrameView[]} frames at least one; ticks rising */
  constructor(frames) {
    this.frames = frames;
  }

  get firstTick() {
    return this.frames[0].tick;
  }
  get lastTick() {
    return this.frames[this.frames.length - 1].tick;
  }
  /** Index of the frame that sample() returned. */
  get index() {
    return Math.min(this.#at + 1, this.frames.length - 1);
  }

  /**
   * Fills `bodies` with the bodies at a moment.
   * @param {number} tick with a fraction
   * @returns {FrameView} the later one of the two frames around the moment
   */
  sample(tick) {
    const { frames } = this;
    if (frames[this.#at].tick > tick) this.#at = 0;
    while (this.#at < frames.length - 2 && frames[this.#at + 1].tick <= tick) this.#at++;
    return this.bodies.fillAt(frames[this.#at], frames[this.index], tick);
  }
}
