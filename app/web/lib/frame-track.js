import { InterpolatedBodies } from './frame-view.js';

/** @typedef {import('./frame-view.js').FrameView} FrameView */

/** World units per tick; faster than any body of a game. */
const MAX_SPEED = 60;

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
    const from = frames[this.#at];
    const to = frames[this.index];
    const ticks = to.tick - from.tick;
    const share = ticks > 0 ? Math.max(0, Math.min(1, (tick - from.tick) / ticks)) : 1;
    this.bodies.fill(from, to, share, MAX_SPEED * Math.max(1, ticks));
    return to;
  }
}
