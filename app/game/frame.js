/**
 * The format of a frame, the data that a screen needs to draw one tick. Little-endian, with every field
 * aligned to its size so that it can be read in place. The worker writes a frame into the mailbox, the
 * hub sends its bytes unchanged, and the browser decodes them with this file.
 *
 *   header   24 B  u8 version, u8 type, u16 match, u32 tick, u16 bodies, u8 players, u8 events,
 *                  u8 phase, u8 round, u16 timer (tenths of a second), u16 extra[4] (defined by the game)
 *   players  12 B  u32 sequence number of the newest input, i32 score, u8 flags, u8 gauge (0-255), u16 body id
 *                  for each slot, then for each team of a game with teams; see PLAYER_FLAG
 *   events    8 B  u16 sequence, u8 type, u8 owner, i16 x, i16 y
 *   bodies   14 B  u16 id, i16 x, i16 y, i16 a, i16 b, u8 kind, u8 owner, u8 angle, u8 state
 *
 * Lengths are in 1/16 world units (-2048 .. 2047.9), angles in 1/256 turns, clockwise from +x.
 * a, b are for a circle: radius, 0; for a box: half width, half height; for a segment: the vector from
 * its first to its second end.
 */

export const FRAME_VERSION = 1;
export const FRAME_TYPE = 1;
export const HEADER_BYTES = 24;
export const PLAYER_BYTES = 12;
export const EVENT_BYTES = 8;
export const BODY_BYTES = 14;
/** Steps of a coordinate per world unit. */
export const STEPS_PER_UNIT = 16;

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
/** Number of events that a frame repeats. */
export const MAX_EVENTS = 16;
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
/** Number of values in `extra`. */
export const EXTRA_COUNT = 4;

export const NO_OWNER = 255;
export const NO_BODY = 0xffff;

export const PHASE = Object.freeze({ ready: 0, play: 1, roundOver: 2, matchOver: 3 });
/**
 * Bits of a player's flags. team: the record is that of a team. It is neither present nor a bot, so that clients that
 * do not know teams skip it. Bits 4 and 5 are the number of the team, see teamOf().
 */
export const PLAYER_FLAG = Object.freeze({ present: 1, alive: 2, bot: 4, winner: 8, team: 64 });
export const TEAM_SHIFT = 4;

/** Returns the team of a record, in a game with teams. @param {number} flags @returns {number} 0..3 */
export const teamOf = (flags) => (flags >> TEAM_SHIFT) & 3;

/**
 * Bits of a body's state, the same in every game. hit: flashes; shield: has a shield; boost: draws a
 * trail; ghost: is drawn faint; falling: falls out of the world.
 */
export const BODY_STATE = Object.freeze({ hit: 1, shield: 2, boost: 4, ghost: 8, falling: 16 });

/** Returns the size of a frame, bytes. @param {number} bodies @param {number} players @param {number} events */
export function frameBytes(bodies, players, events) {
  return (
    HEADER_BYTES +
    players * PLAYER_BYTES +
    events * EVENT_BYTES +
    Math.ceil(bodies / 2) * 2 * BODY_BYTES
  );
}

/**
 * @typedef {{inputSequence: number, score: number, flags: number, gauge: number, body: number}} PlayerRecord
 * @typedef {{sequence: number, type: number, owner: number, x: number, y: number}} EventRecord
 */

/** Reads the record of a player or team. @param {DataView} view of a frame @param {number} i @returns {PlayerRecord} */
export function readPlayer(view, i) {
  const at = HEADER_BYTES + i * PLAYER_BYTES;
  return {
    inputSequence: view.getUint32(at + PLAYER_AT.inputSequence, true),
    score: view.getInt32(at + PLAYER_AT.score, true),
    flags: view.getUint8(at + PLAYER_AT.flags),
    gauge: view.getUint8(at + PLAYER_AT.gauge),
    body: view.getUint16(at + PLAYER_AT.body, true),
  };
}

/** Reads an event. @param {DataView} view of a frame @param {number} at its offset, bytes @returns {EventRecord} */
export function readEvent(view, at) {
  return {
    sequence: view.getUint16(at + EVENT_AT.sequence, true),
    type: view.getUint8(at + EVENT_AT.type),
    owner: view.getUint8(at + EVENT_AT.owner),
    x: view.getInt16(at + EVENT_AT.x, true) / STEPS_PER_UNIT,
    y: view.getInt16(at + EVENT_AT.y, true) / STEPS_PER_UNIT,
  };
}

/**
 * Decodes the header of a frame. seconds: left in the phase; eventsAt, bodiesAt: offsets, bytes.
 * @param {Uint8Array} bytes one frame
 * @throws {RangeError} if the bytes are not a complete frame of this version
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
  const eventsAt = HEADER_BYTES + counts.players * PLAYER_BYTES;
  const bodiesAt = eventsAt + counts.events * EVENT_BYTES;
  if (bytes.byteLength < bodiesAt + counts.bodies * BODY_BYTES) {
    throw new RangeError('the frame is truncated');
  }
  return {
    match: view.getUint16(HEADER_AT.match, true),
    tick: view.getUint32(HEADER_AT.tick, true),
    phase: view.getUint8(HEADER_AT.phase),
    round: view.getUint8(HEADER_AT.round),
    seconds: view.getUint16(HEADER_AT.timer, true) / 10,
    extra: Array.from({ length: EXTRA_COUNT }, (_, i) =>
      view.getUint16(HEADER_AT.extra + i * 2, true),
    ),
    counts,
    eventsAt,
    bodiesAt,
  };
}
