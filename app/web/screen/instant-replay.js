import { loadItem, saveItem } from '../lib/dom.js';
import { PHASE } from '../../game/frame.js';
import { FrameTrack } from '../lib/frame-view.js';

/**
 * The replay after a round: shows its last seconds once more while the game pauses, and stops before the next
 * countdown, so that it hides nothing that players need.
 */

const TICK_HZ = 60;
const ITEM = 'pitv.screen.replays';
/** What happened is seen first without a replay. */
const LIVE_TICKS = 0.8 * TICK_HZ;
/** The match is shown again this long before the pause ends. */
const REST_TICKS = 0.2 * TICK_HZ;
/** A shorter replay shows too little. */
const MIN_TICKS = TICK_HZ;
const MAX_TICKS = 4 * TICK_HZ;
const MAX_BYTES = 4 * 1024 * 1024;

/** @typedef {import('../lib/frame-view.js').FrameView} FrameView */

export class InstantReplay {
  /** Whether replays are shown, on each stage. */
  static enabled = loadItem(ITEM) !== 'off';
  /** The frames that are shown again; null while the match is shown. @type {FrameTrack | null} */
  track = null;
  /** The tick to show of `track`. */
  tick = 0;
  /** The last seconds of play. @type {FrameView[]} */
  #frames = [];
  #bytes = 0;
  /** Tick of the first frame of the pause. */
  #pausedAt = 0;

  /** Switches replays on or off; the browser remembers it. */
  static toggle() {
    InstantReplay.enabled = !InstantReplay.enabled;
    saveItem(ITEM, InstantReplay.enabled ? null : 'off');
  }

  /** Forgets the match. */
  clear() {
    this.#frames = [];
    this.#bytes = 0;
    this.track = null;
  }

  /** Adds a frame of the match. @param {FrameView} frame */
  push(frame) {
    const frames = this.#frames;
    const before = frames[frames.length - 1];
    if (before && frame.tick <= before.tick) this.clear();
    if (frame.phase === PHASE.play) {
      if (before && before.phase !== PHASE.play) this.clear();
    } else if (frame.phase !== PHASE.roundOver) return;
    else if (before?.phase !== PHASE.roundOver) this.#pausedAt = frame.tick;
    else if (frame.tick > this.#pausedAt + LIVE_TICKS) return;
    this.#frames.push(frame);
    this.#bytes += frame.bytes.buffer.byteLength;
    const from = frame.tick - MAX_TICKS;
    while (this.#frames[0].tick < from || (this.#bytes > MAX_BYTES && this.#frames.length > 1)) {
      this.#bytes -= /** @type {FrameView} */ (this.#frames.shift()).bytes.buffer.byteLength;
    }
  }

  /**
   * Decides what to show.
   * @param {FrameView} live the frame of the match that would be shown
   * @param {number} elapsedMs since the last picture
   */
  update(live, elapsedMs) {
    const leftTicks = live.seconds * TICK_HZ - REST_TICKS;
    const isDue = live.phase === PHASE.roundOver && leftTicks > 0;
    if (!isDue || !InstantReplay.enabled) this.track = null;
    else if (this.track) {
      this.tick = Math.min(this.track.lastTick, this.tick + (elapsedMs * TICK_HZ) / 1000);
    } else if (live.tick > this.#pausedAt + LIVE_TICKS) this.#begin(leftTicks);
  }

  /** @param {number} ticks time for the replay */
  #begin(ticks) {
    const last = this.#frames[this.#frames.length - 1];
    if (!last || ticks < MIN_TICKS || last.phase !== PHASE.roundOver) return;
    const frames = this.#frames.filter(({ tick }) => tick >= last.tick - ticks);
    this.clear(); // one replay a pause
    if (frames.length < 2) return;
    this.track = new FrameTrack(frames);
    this.tick = this.track.firstTick;
  }
}
