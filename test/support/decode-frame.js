/** Decodes whole frames into plain arrays, with the reader of the pages, which reads frames in place. */
import {
  BODY_AT,
  BODY_BYTES,
  EVENT_BYTES,
  STEPS_PER_UNIT,
  decodeHeader,
  readEvent,
} from '../../app/game/frame.js';
import { FrameView } from '../../app/web/lib/frame-view.js';

/**
 * Decodes a whole frame.
 * @param {Uint8Array} bytes one frame
 * @throws {RangeError} when the bytes are not a whole frame of this version
 */
export function decodeFrame(bytes) {
  const view = new FrameView(new Uint8Array(bytes).buffer);
  const { match, tick, phase, round, seconds, extra, players, bodyCount: count } = view;
  const offsets = (/** @type {number} */ at) =>
    Array.from({ length: count }, (_, i) => i * BODY_BYTES + at);
  const words = (/** @type {number} */ at) => offsets(at).map((offset) => view.words[offset / 2]);
  const lengths = (/** @type {number} */ at) =>
    Float32Array.from(words(at), (steps) => steps / STEPS_PER_UNIT);
  const octets = (/** @type {number} */ at) =>
    Uint8Array.from(offsets(at), (offset) => view.bytes[offset]);
  const bodies = {
    count,
    id: Uint16Array.from(words(0)),
    x: lengths(BODY_AT.x),
    y: lengths(BODY_AT.y),
    a: lengths(BODY_AT.a),
    b: lengths(BODY_AT.b),
    kind: octets(BODY_AT.kind),
    owner: octets(BODY_AT.owner),
    angle: octets(BODY_AT.angle),
    state: octets(BODY_AT.state),
  };
  const { counts, eventsAt } = decodeHeader(view.frame);
  const data = new DataView(view.frame.buffer);
  const events = Array.from({ length: counts.events }, (_, i) =>
    readEvent(data, eventsAt + i * EVENT_BYTES),
  );
  return { match, tick, phase, round, seconds, extra, players, events, bodies };
}

/**
 * Moves a player, and waits until a screen shows it.
 * @param {import('./tv.js').Client} screen @param {import('./tv.js').Client} pad @param {number} slot of the player
 */
export async function showsInput(screen, pad, slot) {
  await screen.moreFrames(10);
  const sequence = () =>
    decodeFrame(/** @type {Buffer} */ (screen.frame)).players[slot].inputSequence;
  const before = sequence();
  pad.input(127, 0);
  await screen.until(() => sequence() > before, 'the input in a frame');
}
