/** Decodes whole frames into plain arrays. The pages read frames in place instead (web/lib/frame-view.js). */
import {
  BODY_AT,
  BODY_BYTES,
  EVENT_AT,
  EVENT_BYTES,
  HEADER_BYTES,
  PLAYER_AT,
  PLAYER_BYTES,
  STEPS_PER_UNIT,
  decodeHeader,
} from '../../app/game/frame.js';

/**
 * Decodes a whole frame.
 * @param {Uint8Array} bytes one frame
 * @returns {import('../../app/game/frame.js').Frame}
 * @throws {RangeError} when the bytes are not a whole frame of this version
 */
export function decodeFrame(bytes) {
  const { counts, ...head } = decodeHeader(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = HEADER_BYTES;
  const players = [];
  for (let i = 0; i < counts.players; i++, offset += PLAYER_BYTES) {
    players.push({
      inputSequence: view.getUint32(offset + PLAYER_AT.inputSequence, true),
      score: view.getInt32(offset + PLAYER_AT.score, true),
      flags: view.getUint8(offset + PLAYER_AT.flags),
      gauge: view.getUint8(offset + PLAYER_AT.gauge),
      body: view.getUint16(offset + PLAYER_AT.body, true),
    });
  }
  const events = [];
  for (let i = 0; i < counts.events; i++, offset += EVENT_BYTES) {
    events.push({
      sequence: view.getUint16(offset + EVENT_AT.sequence, true),
      type: view.getUint8(offset + EVENT_AT.type),
      owner: view.getUint8(offset + EVENT_AT.owner),
      x: view.getInt16(offset + EVENT_AT.x, true) / STEPS_PER_UNIT,
      y: view.getInt16(offset + EVENT_AT.y, true) / STEPS_PER_UNIT,
    });
  }
  const n = counts.bodies;
  const bodies = {
    count: n,
    id: new Uint16Array(n),
    x: new Float32Array(n),
    y: new Float32Array(n),
    a: new Float32Array(n),
    b: new Float32Array(n),
    kind: new Uint8Array(n),
    owner: new Uint8Array(n),
    angle: new Uint8Array(n),
    state: new Uint8Array(n),
  };
  for (let i = 0; i < n; i++, offset += BODY_BYTES) {
    bodies.id[i] = view.getUint16(offset + BODY_AT.id, true);
    bodies.x[i] = view.getInt16(offset + BODY_AT.x, true) / STEPS_PER_UNIT;
    bodies.y[i] = view.getInt16(offset + BODY_AT.y, true) / STEPS_PER_UNIT;
    bodies.a[i] = view.getInt16(offset + BODY_AT.a, true) / STEPS_PER_UNIT;
    bodies.b[i] = view.getInt16(offset + BODY_AT.b, true) / STEPS_PER_UNIT;
    bodies.kind[i] = view.getUint8(offset + BODY_AT.kind);
    bodies.owner[i] = view.getUint8(offset + BODY_AT.owner);
    bodies.angle[i] = view.getUint8(offset + BODY_AT.angle);
    bodies.state[i] = view.getUint8(offset + BODY_AT.state);
  }
  return { ...head, players, events, bodies };
}

/**
 * Waits until a screen shows an input of a player.
 * @param {import('./tv.js').Client} screen @param {number} slot of the player
 */
export const showsInput = (screen, slot) =>
  screen.until(
    () => screen.frame && decodeFrame(screen.frame).players[slot].inputSequence > 0,
    'the input in a frame',
  );
