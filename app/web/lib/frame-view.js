import { BODY_AT, BODY_BYTES, decodeHeader, readPlayer, STEPS_PER_UNIT } from '../../game/frame.js';
import { WORDS, WORD_AT } from '../../game/frame-difference.js';

/**
 * Reads a frame in place. With an array for each field, 3,000 bodies at 60 frames per second would create
 * 5 MB of garbage per second on a TV's small heap. Both browsers and frames are little-endian.
 */

/** World units per tick; faster than any body of a game. */
const MAX_SPEED = 60;

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
    this.playerCount = counts.players;
    this.#view = new DataView(buffer);
    this.words = new Int16Array(buffer, bodiesAt, counts.bodies * WORDS);
    this.bytes = new Uint8Array(buffer, bodiesAt, counts.bodies * BODY_BYTES);
  }

  #view;

  /** Reads a player. @param {number} i @returns {import('../../game/frame.js').PlayerRecord} */
  player(i) {
    return readPlayer(this.#view, i);
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
