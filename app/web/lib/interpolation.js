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
   * @param {ArrayBuffer} buffer a whole frame @param {number} nowMs
   */
  push(buffer, nowMs) {
    const frame = new FrameView(buffer);
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
    return this.bodies.fill(frames[0], frames[1] ?? frames[0], tick);
  }
}

/** Frames that are all there before they are played: a replay. */
export class FrameTrack {
  bodies = new InterpolatedBodies();
  /** Index of the frame that sample() returned. */
  index = 0;

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

  /**
   * Fills `bodies` with the bodies at a moment.
   * @param {number} tick with a fraction
   * @returns {FrameView} the later one of the two frames around the moment
   */
  sample(tick) {
    const { frames } = this;
    const later = frames.findIndex((frame) => frame.tick > tick);
    this.index = later < 0 ? frames.length - 1 : later;
    return this.bodies.fill(frames[Math.max(0, this.index - 1)], frames[this.index], tick);
  }
}
