/**
 * The frame: what a screen needs to draw one tick. Little-endian, every field aligned to its size,
 * so that both ends can read it in place. The worker writes it into the mailbox, the hub sends the
 * bytes as they are, the browser decodes them with this same file.
 *
 *   header   24 B  u8 version, u8 type, u16 match, u32 tick, u16 bodies, u8 players, u8 events,
 *                  u8 phase, u8 round, u16 timer (tenths of a second), u16 extra[4] (the game's own)
 *   players  12 B  u32 input sequence seen, i32 score, u8 flags, u8 gauge (0-255), u16 body id
 *   events    8 B  u16 sequence, u8 type, u8 owner, i16 x, i16 y
 *   bodies   14 B  u16 id, i16 x, i16 y, i16 a, i16 b, u8 kind, u8 owner, u8 angle, u8 state
 *
 * Lengths are in sixteenths of a world unit (-2048 .. 2047.9); an angle is in 1/256 turns, clockwise from +x.
 * a, b: circle: radius, 0; box: half width, half height; segment: the vector to its other end.
 */

export const FRAME_VERSION = 1;
export const FRAME_TYPE = 1;
export const HEADER_BYTES = 24;
export const PLAYER_BYTES = 12;
export const EVENT_BYTES = 8;
export const BODY_BYTES = 14;
export const UNITS = 16;

/** Offset of each field in its record, bytes. */
export const HEADER_AT = Object.freeze({
  version: 0,
  type: 1,
  match: 2,
  tick: 4,
  bodies: 8,
  players: 10,
  events: 11,
  phase: 12,
  round: 13,
  timer: 14,
  extra: 16,
});
export const PLAYER_AT = Object.freeze({
  inputSequence: 0,
  score: 4,
  flags: 8,
  gauge: 9,
  body: 10,
});
export const EVENT_AT = Object.freeze({ sequence: 0, type: 2, owner: 3, x: 4, y: 6 });
export const BODY_AT = Object.freeze({
  id: 0,
  x: 2,
  y: 4,
  a: 6,
  b: 8,
  kind: 10,
  owner: 11,
  angle: 12,
  state: 13,
});
/** Numbers in `extra`. */
const EXTRAS = 4;

export const NO_OWNER = 255;
export const NO_BODY = 0xffff;

export const PHASE = Object.freeze({ ready: 0, play: 1, roundOver: 2, matchOver: 3 });
export const PLAYER_FLAG = Object.freeze({ present: 1, alive: 2, bot: 4, winner: 8 });
/**
 * Bits of a body's state, the same in every game, so that a screen can draw them without knowing it:
 * just hit, shielded (braced), boosting (dashing, draws a trail), ghost (drawn faint), falling out of the world.
 */
export const BODY_STATE = Object.freeze({ hit: 1, shield: 2, boost: 4, ghost: 8, falling: 16 });

/**
 * @param {number} bodies @param {number} players @param {number} events
 * @returns {number} bytes of a frame with these counts
 */
export function frameBytes(bodies, players, events) {
  return (
    HEADER_BYTES +
    players * PLAYER_BYTES +
    events * EVENT_BYTES +
    Math.ceil(bodies / 2) * 2 * BODY_BYTES
  );
}

/** @param {number} value world units @returns {number} int16, clamped; a NaN becomes 0 */
function toUnits(value) {
  const scaled = Math.round(value * UNITS);
  return scaled > 32767 ? 32767 : scaled < -32768 ? -32768 : scaled | 0;
}

/** Writes frames into byte arrays without allocating. One writer a worker. */
export class FrameWriter {
  /** @type {WeakMap<Uint8Array, DataView>} */
  #views = new WeakMap();
  /** @type {DataView<ArrayBufferLike>} */
  #view = new DataView(new ArrayBuffer(0));
  #offset = 0;
  #bodies = 0;

  /** @param {Uint8Array} bytes where the next frame goes, 4-byte aligned */
  attach(bytes) {
    let view = this.#views.get(bytes);
    if (!view) {
      view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.#views.set(bytes, view);
    }
    this.#view = view;
  }

  /**
   * @param {{match: number, tick: number, phase: number, round: number, timer: number,
   *   extra: ArrayLike<number>, players: number, events: number}} head
   */
  begin(head) {
    const view = this.#view;
    view.setUint8(HEADER_AT.version, FRAME_VERSION);
    view.setUint8(HEADER_AT.type, FRAME_TYPE);
    view.setUint16(HEADER_AT.match, head.match, true);
    view.setUint32(HEADER_AT.tick, head.tick, true);
    view.setUint16(HEADER_AT.bodies, 0, true);
    view.setUint8(HEADER_AT.players, head.players);
    view.setUint8(HEADER_AT.events, head.events);
    view.setUint8(HEADER_AT.phase, head.phase);
    view.setUint8(HEADER_AT.round, head.round);
    view.setUint16(HEADER_AT.timer, head.timer, true);
    for (let i = 0; i < EXTRAS; i++) {
      view.setUint16(HEADER_AT.extra + i * 2, head.extra[i] ?? 0, true);
    }
    this.#offset = HEADER_BYTES;
    this.#bodies = 0;
  }

  /**
   * @param {number} inputSequence @param {number} score @param {number} flags
   * @param {number} gauge 0..255 @param {number} body id or NO_BODY
   */
  player(inputSequence, score, flags, gauge, body) {
    const view = this.#view;
    const offset = this.#offset;
    view.setUint32(offset + PLAYER_AT.inputSequence, inputSequence, true);
    view.setInt32(offset + PLAYER_AT.score, score, true);
    view.setUint8(offset + PLAYER_AT.flags, flags);
    view.setUint8(offset + PLAYER_AT.gauge, gauge);
    view.setUint16(offset + PLAYER_AT.body, body, true);
    this.#offset = offset + PLAYER_BYTES;
  }

  /**
   * @param {number} sequence @param {number} type @param {number} owner
   * @param {number} x world units @param {number} y world units
   */
  event(sequence, type, owner, x, y) {
    const view = this.#view;
    const offset = this.#offset;
    view.setUint16(offset + EVENT_AT.sequence, sequence, true);
    view.setUint8(offset + EVENT_AT.type, type);
    view.setUint8(offset + EVENT_AT.owner, owner);
    view.setInt16(offset + EVENT_AT.x, toUnits(x), true);
    view.setInt16(offset + EVENT_AT.y, toUnits(y), true);
    this.#offset = offset + EVENT_BYTES;
  }

  /**
   * @param {number} id @param {number} x @param {number} y @param {number} a @param {number} b
   * @param {number} kind @param {number} owner @param {number} angle 0..255 @param {number} state 0..255
   */
  body(id, x, y, a, b, kind, owner, angle, state) {
    const view = this.#view;
    const offset = this.#offset;
    view.setUint16(offset + BODY_AT.id, id, true);
    view.setInt16(offset + BODY_AT.x, toUnits(x), true);
    view.setInt16(offset + BODY_AT.y, toUnits(y), true);
    view.setInt16(offset + BODY_AT.a, toUnits(a), true);
    view.setInt16(offset + BODY_AT.b, toUnits(b), true);
    view.setUint8(offset + BODY_AT.kind, kind);
    view.setUint8(offset + BODY_AT.owner, owner);
    view.setUint8(offset + BODY_AT.angle, angle);
    view.setUint8(offset + BODY_AT.state, state);
    this.#offset = offset + BODY_BYTES;
    this.#bodies++;
  }

  /** @returns {number} length of the frame in bytes */
  end() {
    this.#view.setUint16(HEADER_AT.bodies, this.#bodies, true);
    return this.#offset;
  }
}

/**
 * @typedef {object} Frame
 * @property {number} match
 * @property {number} tick
 * @property {number} phase one of PHASE
 * @property {number} round
 * @property {number} seconds left in this phase
 * @property {number[]} extra four numbers, the game's own
 * @property {{inputSequence: number, score: number, flags: number, gauge: number, body: number}[]} players
 * @property {{sequence: number, type: number, owner: number, x: number, y: number}[]} events
 * @property {Bodies} bodies
 *
 * @typedef {object} Bodies structure of arrays, `count` entries each
 * @property {number} count
 * @property {Uint16Array} id
 * @property {Float32Array} x world units
 * @property {Float32Array} y
 * @property {Float32Array} a
 * @property {Float32Array} b
 * @property {Uint8Array} kind
 * @property {Uint8Array} owner
 * @property {Uint8Array} angle
 * @property {Uint8Array} state
 */

/**
 * @param {Uint8Array} bytes one frame
 * @returns {Pick<Frame, 'match' | 'tick' | 'phase' | 'round' | 'seconds' | 'extra'> & {counts: {bodies: number, players: number, events: number}}}
 * @throws {RangeError} when the bytes are not a whole frame of this version
 */
export function decodeHeader(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (
    bytes.byteLength < HEADER_BYTES ||
    view.getUint8(HEADER_AT.version) !== FRAME_VERSION ||
    view.getUint8(HEADER_AT.type) !== FRAME_TYPE
  ) {
    throw new RangeError('not a frame of version ' + FRAME_VERSION);
  }
  const counts = {
    bodies: view.getUint16(HEADER_AT.bodies, true),
    players: view.getUint8(HEADER_AT.players),
    events: view.getUint8(HEADER_AT.events),
  };
  const length =
    HEADER_BYTES +
    counts.players * PLAYER_BYTES +
    counts.events * EVENT_BYTES +
    counts.bodies * BODY_BYTES;
  if (bytes.byteLength < length) throw new RangeError('the frame is cut short');
  return {
    match: view.getUint16(HEADER_AT.match, true),
    tick: view.getUint32(HEADER_AT.tick, true),
    phase: view.getUint8(HEADER_AT.phase),
    round: view.getUint8(HEADER_AT.round),
    seconds: view.getUint16(HEADER_AT.timer, true) / 10,
    extra: Array.from({ length: EXTRAS }, (_, i) => view.getUint16(HEADER_AT.extra + i * 2, true)),
    counts,
  };
}
