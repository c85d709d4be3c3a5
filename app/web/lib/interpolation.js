import { FrameView, Scene } from './frame-view.js';
import { PlayClock } from './play-clock.js';

/**
 * From frames that arrive 60 times a second, or less regularly, to a picture for any moment of the
 * display. Keeps the few frames around the moment shown.
 */

const KEEP_FRAMES = 24;
/** World units a tick; faster than anything a game lets fly. */
const MAX_SPEED = 60;

export class FrameBuffer {
  /** @type {FrameView[]} oldest first, ticks rising */
  frames = [];
  scene = new Scene();
  clock = new PlayClock();
  /** frames that were no frames */
  refused = 0;

  /**
   * @param {ArrayBuffer} buffer as it came from the socket
   * @param {number} nowMs
   * @returns {FrameView | null} null when it was refused
   */
  push(buffer, nowMs) {
    let frame;
    try {
      frame = new FrameView(buffer);
    } catch {
      this.refused++;
      return null;
    }
    const newest = this.newest;
    if (newest && (frame.match !== newest.match || frame.tick <= newest.tick)) {
      // Another match, or a worker that was restarted and goes on from its checkpoint: from here on
      // the new line of ticks counts.
      this.frames.length = 0;
      this.clock.reset();
    }
    this.frames.push(frame);
    if (this.frames.length > KEEP_FRAMES) this.frames.shift();
    this.clock.arrived(frame.tick, nowMs);
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
   * Fills `scene` with the bodies at a moment.
   * @param {number} nowMs
   * @returns {FrameView | null} the frame the picture leads to: its players, events, phase are the
   *   ones to show; null when nothing has come yet
   */
  sample(nowMs) {
    const { frames } = this;
    if (frames.length === 0) return null;
    const tick = this.clock.tickAt(nowMs);
    while (frames.length > 2 && frames[1].tick <= tick) frames.shift();
    const from = frames[0];
    const to = frames[1] ?? from;
    const ticks = to.tick - from.tick;
    const share = ticks > 0 ? Math.max(0, Math.min(1, (tick - from.tick) / ticks)) : 1;
    this.scene.fill(from, to, share, MAX_SPEED * Math.max(1, ticks));
    return to;
  }
}
