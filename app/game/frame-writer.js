/** Writes frames; frame.js describes their format. Values that a frame cannot hold are clamped, never wrapped. */
import {
  BODY_AT,
  BODY_BYTES,
  EVENT_AT,
  EVENT_BYTES,
  EXTRA_COUNT,
  FRAME_TYPE,
  FRAME_VERSION,
  HEADER_AT,
  HEADER_BYTES,
  NO_BODY,
  NO_OWNER,
  PLAYER_AT,
  PLAYER_BYTES,
  STEPS_PER_UNIT,
} from './frame.js';

/** What was wrong in the frames so far, and what was done about it. @type {Readonly<Record<string, string>>} */
export const FAULTS = Object.freeze({
  position: 'A position or size must be a finite number; it is drawn at the edge or at 0.',
  size: 'A radius, half width or half height must be 0 or more; it is drawn as 0.',
  kind: 'A kind must be an index into view.kinds.',
  owner: 'An owner must be a slot or NO_OWNER; the body is drawn without an owner.',
  bodies: 'There are more bodies than world() and decor announce; the others are not drawn.',
  event: 'An event needs a type of view.events, a slot or NO_OWNER, and a position.',
  player: 'A score must be an int32, a gauge 0 to 1, a body an id or NO_BODY; it is clamped.',
  extra: 'An extra number must be 0 to 65535; it is clamped.',
});

/** The limits of the format. */
const FORMAT_LIMITS = Object.freeze({ bodies: 65535, kinds: 256, events: 256, slots: 255 });

/** @param {number} value world units @returns {number} int16 in steps, clamped; 0 for NaN */
function toSteps(value) {
  const scaled = Math.round(value * STEPS_PER_UNIT);
  return scaled > 32767 ? 32767 : scaled < -32768 ? -32768 : scaled | 0;
}

/** @param {number} value @param {number} min @param {number} max @returns {number} min for NaN */
const clamp = (value, min, max) => (value >= min ? (value > max ? max : value) : min);

/**
 * Bodies, field by field, as a world has them.
 * @typedef {Record<'x' | 'y' | 'a' | 'b' | 'kind' | 'owner' | 'angle' | 'state', Float64Array | Uint8Array>} BodyFields
 */

/** Writes frames into byte arrays without allocating memory. A worker has one writer. */
export class FrameWriter {
  /** @type {WeakMap<Uint8Array, DataView>} */
  #views = new WeakMap();
  /** @type {DataView<ArrayBufferLike>} */
  #view = new DataView(new ArrayBuffer(0));
  #offset = 0;
  #bodies = 0;
  #limits;
  #maxBodies;
  /** What body() has been given. */
  #single = {
    x: new Float64Array(1),
    y: new Float64Array(1),
    a: new Float64Array(1),
    b: new Float64Array(1),
    kind: new Float64Array(1),
    owner: new Float64Array(1),
    angle: new Float64Array(1),
    state: new Float64Array(1),
  };
  /** The first bad value of each sort in FAULTS. @type {Map<string, string>} */
  faults = new Map();
  /** The faults that takeFault() has returned. */
  #told = new Set();

  /**
   * @param {Record<keyof typeof FORMAT_LIMITS, number> & {lines?: readonly boolean[]}} [limits] of a game; see
   *   frameLimitsOf()
   */
  constructor(limits = FORMAT_LIMITS) {
    this.#limits = limits;
    this.#maxBodies = limits.bodies;
  }

  /** Changes how many bodies the frame may have from now on. @param {number} bodies 0..65535 */
  limitBodies(bodies) {
    this.#maxBodies = Math.min(bodies, FORMAT_LIMITS.bodies);
  }
  /** Number of bodies in the frame so far. */
  get bodies() {
    return this.#bodies;
  }

  /** Notes a bad value. @param {string} fault one of FAULTS @param {string} name @param {unknown} value */
  #note(fault, name, value) {
    if (!this.faults.has(fault)) this.faults.set(fault, `${name} ${value}`);
  }

  /** Notes a body that is not written. @param {string} name @param {number} number */
  leaveOut(name, number) {
    this.#note('bodies', name, number);
  }

  /** Returns a fault that has not been returned yet. @returns {string | undefined} two sentences */
  takeFault() {
    if (this.#told.size === this.faults.size) return undefined;
    const fault = Object.keys(FAULTS).find(
      (each) => this.faults.has(each) && !this.#told.has(each),
    );
    this.#told.add(fault);
    return `${this.faults.get(String(fault))}. ${FAULTS[String(fault)]}`;
  }

  /** Sets the target of the next frame. @param {Uint8Array} bytes 4-byte aligned */
  attach(bytes) {
    let view = this.#views.get(bytes);
    if (!view) {
      view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.#views.set(bytes, view);
    }
    this.#view = view;
  }

  /**
   * Writes the header. Call player() for each player, then event(), body(), and end().
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
    view.setUint8(HEADER_AT.round, clamp(head.round, 0, 0xff));
    view.setUint16(HEADER_AT.timer, clamp(head.timer, 0, 0xffff), true);
    for (let i = 0; i < EXTRA_COUNT; i++) {
      const value = head.extra[i] ?? 0;
      if (!(value >= 0 && value <= 0xffff)) this.#note('extra', `extra[${i}]`, value);
      view.setUint16(HEADER_AT.extra + i * 2, clamp(value, 0, 0xffff), true);
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
    if (!(score >= -0x80000000 && score <= 0x7fffffff)) this.#note('player', 'score', score);
    if (!(gauge >= 0 && gauge <= 255)) this.#note('player', 'gauge', gauge / 255);
    if (!(body >= 0 && body <= NO_BODY)) this.#note('player', 'body', body);
    view.setUint32(offset + PLAYER_AT.inputSequence, inputSequence, true);
    view.setInt32(
      offset + PLAYER_AT.score,
      clamp(Number.isNaN(score) ? 0 : score, -0x80000000, 0x7fffffff),
      true,
    );
    view.setUint8(offset + PLAYER_AT.flags, flags);
    view.setUint8(offset + PLAYER_AT.gauge, clamp(gauge, 0, 255));
    view.setUint16(offset + PLAYER_AT.body, body >= 0 && body < NO_BODY ? body : NO_BODY, true);
    this.#offset = offset + PLAYER_BYTES;
  }

  /**
   * @param {number} sequence @param {number} type @param {number} owner
   * @param {number} x world units @param {number} y world units
   */
  event(sequence, type, owner, x, y) {
    const view = this.#view;
    const offset = this.#offset;
    if (!(type >= 0 && type < this.#limits.events)) this.#note('event', 'type', type);
    if (x + y - (x + y) !== 0) this.#note('event', 'position', `${x}, ${y}`);
    const isSlot = owner >= 0 && owner < this.#limits.slots;
    if (!isSlot && owner !== NO_OWNER) this.#note('event', 'owner', owner);
    view.setUint16(offset + EVENT_AT.sequence, sequence, true);
    view.setUint8(offset + EVENT_AT.type, clamp(type, 0, 255));
    view.setUint8(offset + EVENT_AT.owner, isSlot ? owner : NO_OWNER);
    view.setInt16(offset + EVENT_AT.x, toSteps(x), true);
    view.setInt16(offset + EVENT_AT.y, toSteps(y), true);
    this.#offset = offset + EVENT_BYTES;
  }

  /**
   * Writes a body. Bodies beyond the limit are left out.
   * @param {number} id 0..65534
   * @param {number} x @param {number} y @param {number} a @param {number} b
   * @param {number} kind @param {number} owner @param {number} angle 0..255 @param {number} state 0..255
   */
  body(id, x, y, a, b, kind, owner, angle, state) {
    const single = this.#single;
    single.x[0] = x;
    single.y[0] = y;
    single.a[0] = a;
    single.b[0] = b;
    single.kind[0] = kind;
    single.owner[0] = owner;
    single.angle[0] = angle;
    single.state[0] = state;
    this.bodyAt(id, single, 0);
  }

  /**
   * Writes a body that lies in arrays. V8 allocates each fraction that is an argument of a function as long as this
   * one, so nothing is passed but indexes.
   * @param {number} id 0..65534 @param {BodyFields} fields see body() @param {number} at index into each of them
   */
  bodyAt(id, fields, at) {
    const view = this.#view;
    const offset = this.#offset;
    const limits = this.#limits;
    if (this.#bodies >= this.#maxBodies || !(id >= 0 && id < NO_BODY)) {
      this.#note('bodies', 'body', id);
      return;
    }
    const x = fields.x[at];
    const y = fields.y[at];
    let a = fields.a[at];
    let b = fields.b[at];
    let kind = fields.kind[at];
    let owner = fields.owner[at];
    const sum = x + y + a + b;
    if (sum - sum !== 0) this.#note('position', `body ${id} at`, `${x}, ${y} (size ${a}, ${b})`);
    if (!(kind >= 0 && kind < limits.kinds)) {
      this.#note('kind', `body ${id} of kind`, kind);
      kind = clamp(kind, 0, 255);
    }
    if (!(owner >= 0 && owner < limits.slots) && owner !== NO_OWNER) {
      this.#note('owner', `body ${id} of owner`, owner);
      owner = NO_OWNER;
    }
    if ((a < 0 || b < 0) && limits.lines?.[kind] === false) {
      this.#note('size', `body ${id} of size`, `${a}, ${b}`);
      a = Math.max(0, a);
      b = Math.max(0, b);
    }
    view.setUint16(offset + BODY_AT.id, id, true);
    view.setInt16(offset + BODY_AT.x, toSteps(x), true);
    view.setInt16(offset + BODY_AT.y, toSteps(y), true);
    view.setInt16(offset + BODY_AT.a, toSteps(a), true);
    view.setInt16(offset + BODY_AT.b, toSteps(b), true);
    view.setUint8(offset + BODY_AT.kind, kind);
    view.setUint8(offset + BODY_AT.owner, owner);
    view.setUint8(offset + BODY_AT.angle, fields.angle[at]);
    view.setUint8(offset + BODY_AT.state, fields.state[at]);
    this.#offset = offset + BODY_BYTES;
    this.#bodies++;
  }

  /** Completes the frame. @returns {number} its length, bytes */
  end() {
    this.#view.setUint16(HEADER_AT.bodies, this.#bodies, true);
    return this.#offset;
  }
}
