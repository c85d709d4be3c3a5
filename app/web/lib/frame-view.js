import { BODY_AT, BODY_BYTES, decodeHeader, STEPS_PER_UNIT } from '../../game/frame.js';
import { readPlayers } from '../../game/frame-reader.js';
import { WORDS, WORD_AT } from '../../game/frame-difference.js';
import { PlayClock } from './play-clock.js';

/**
 * Reads a frame in place. With an array for each field, 3,000 bodies at 60 frames per second would create
 * 5 MB of garbage per second on a TV's small heap. Both browsers and frames are little-endian.
 */

/** World units per tick; faster than any body of a game. */
const MAX_SPEED = 60;
const MAX_FRAMES = 24;

export class FrameView {
  /**
   * @param {ArrayBuffer} buffer one complete frame
   * @throws {RangeError} if the bytes are not a complete frame of this version
   */
  constructor(buffer) {
    this.frame = new Uint8Array(buffer);
    const { counts, bodiesAt, ...head } = decodeHeader(this.frame);
    this.match = head.match;
    this.tick = head.tick;
    this.phase = head.phase;
    this.round = head.round;
    this.seconds = head.seconds;
    this.extra = head.extra;
    this.bodyCount = counts.bodies;
    this.players = readPlayers(this.frame);
    this.words = new Int16Array(buffer, bodiesAt, counts.bodies * WORDS);
    this.bytes = new Uint8Array(buffer, bodiesAt, counts.bodies * BODY_BYTES);
  }
}

/**
 * The bodies at a moment between two frames: a structure of arrays, reused for every picture. Positions
 * and sizes are in world units, angles in radians.
 */
export class InterpolatedBodies {
  count = 0;
  capacity = 0;
  id = new Uint16Array(0);
  x = new Float32Array(0);
  y = new Float32Array(0);
  a = new Float32Array(0);
  b = new Float32Array(0);
  angle = new Float32Array(0);
  kind = new Uint8Array(0);
  owner = new Uint8Array(0);
  state = new Uint8Array(0);
  /** Index of each body by id, -1 for none. */
  index = new Int32Array(65536).fill(-1);
  /** Index in the earlier frame by id. It is never cleared; an entry is valid only if the id matches. */
  #earlier = new Uint16Array(65536);

  /** @param {number} count */
  #grow(count) {
    if (count <= this.capacity) return;
    this.capacity = Math.max(256, Math.ceil(count * 1.5));
    this.id = new Uint16Array(this.capacity);
    for (const name of /** @type {const} */ (['x', 'y', 'a', 'b', 'angle'])) {
      this[name] = new Float32Array(this.capacity);
    }
    for (const name of /** @type {const} */ (['kind', 'owner', 'state'])) {
      this[name] = new Uint8Array(this.capacity);
    }
  }

  /**
   * Interpolates between two frames. A body that is faster than MAX_SPEED is not interpolated.
   * @param {FrameView} from @param {FrameView} to provides bodies, sizes and kinds; may be the same one
   * @param {number} tick with a fraction
   * @returns {FrameView} the later one
   */
  fill(from, to, tick) {
    const ticks = to.tick - from.tick;
    const share = ticks > 0 ? Math.max(0, Math.min(1, (tick - from.tick) / ticks)) : 1;
    const jump = MAX_SPEED * Math.max(1, ticks) * STEPS_PER_UNIT;
    const n = to.bodyCount;
    for (let i = 0; i < this.count; i++) this.index[this.id[i]] = -1;
    this.#grow(n);
    this.count = n;
    const { words, bytes } = to;
    const before = from.words;
    const earlier = this.#earlier;
    const m = from.bodyCount;
    for (let i = 0, w = 0; i < m; i++, w += WORDS) earlier[before[w] & 0xffff] = i;
    for (let i = 0, w = 0, at = 0; i < n; i++, w += WORDS, at += BODY_BYTES) {
      const id = words[w] & 0xffff;
      let x = words[w + WORD_AT.x];
      let y = words[w + WORD_AT.y];
      let angle = bytes[at + BODY_AT.angle];
      const j = earlier[id];
      const p = j * WORDS;
      if (
        j < m &&
        (before[p] & 0xffff) === id &&
        from.bytes[j * BODY_BYTES + BODY_AT.kind] === bytes[at + BODY_AT.kind]
      ) {
        const dx = before[p + WORD_AT.x] - x;
        const dy = before[p + WORD_AT.y] - y;
        if (dx < jump && dx > -jump && dy < jump && dy > -jump) {
          x += dx * (1 - share);
          y += dy * (1 - share);
          const turn = ((from.bytes[j * BODY_BYTES + BODY_AT.angle] - angle + 384) & 255) - 128;
          angle += turn * (1 - share);
        }
      }
      this.id[i] = id;
      this.x[i] = x / STEPS_PER_UNIT;
      this.y[i] = y / STEPS_PER_UNIT;
      this.a[i] = words[w + WORD_AT.a] / STEPS_PER_UNIT;
      this.b[i] = words[w + WORD_AT.b] / STEPS_PER_UNIT;
      this.kind[i] = bytes[at + BODY_AT.kind];
      this.owner[i] = bytes[at + BODY_AT.owner];
      this.angle[i] = (angle * Math.PI) / 128;
      this.state[i] = bytes[at + BODY_AT.state];
      this.index[id] = i;
    }
    return to;
  }
}

/**
 * The few frames around the current moment. They arrive 60 times per second or less regularly, and are shown at any
 * moment of the display.
 */
export class FrameBuffer {
  /** @type {FrameView[]} oldest first, ticks rising */
  frames = [];
  bodies = new InterpolatedBodies();
  clock = new PlayClock();

  /** Adds a frame. @param {ArrayBuffer} buffer a whole frame @param {number} nowMs */
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
