import { FrameView, InterpolatedBodies } from './frame-view.js';
import { PlayClock } from './play-clock.js';

/**
 * Interpolates between frames, which arrive 60 times per second or less regularly, for any moment of the
 * display. Keeps the few frames around the current moment.
 */

const MAX_FRAMES = 24;

export class FrameBuffer {
  /** @type {FrameView[]} oldest first, ticks rising */
  frames = [];
  bodies = new InterpolatedBodies();
  clock = new PlayClock();

  /**
   * Adds a frame.
   * @param {ArrayBuffer} buffer a message of the socket
   * @param {number} nowMs
   * @returns {FrameView | null} null if the frame is invalid
   */
  push(buffer, nowMs) {
    let frame;
    try {
      frame = new FrameView(buffer);
    } catch {
      return null;
    }
    const newest = this.newest;
    if (newest && (frame.match !== newest.match || frame.tick <= newest.tick)) {
      // A different match, or a worker that restarted from a checkpoint: drop the old frames.
      this.clear();
    }
    this.frames.push(frame);
    if (this.frames.length > MAX_FRAMES) this.frames.shift();
    this.clock.addArrival(frame.tick, nowMs);
    return frame;
  }

  /** @returns {FrameView | undefined} */
  get newest() {
    return this.frames[this.frames.length - 1];
  }

  clear() {
    this.frames.length = 0;
    this.clock.reset();
  }

  /**
   * Fills `bodies` with the bodies at a moment.
   * @param {number} nowMs
   * @returns {FrameView | null} the later one of the two frames, whose players, events and phase are to
   *   be shown; null if there is no frame yet
   */
  sample(nowMs) {
    const { frames } = this;
    if (frames.length === 0) return null;
    const tick = this.clock.tickAt(nowMs);
    while (frames.length > 2 && frames[1].tick <= tick) frames.shift();
    return this.bodies.fillAt(frames[0], frames[1] ?? frames[0], tick);
  }
}

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
