/** Decodes whole frames into plain arrays, with the reader of the pages, which reads frames in place. */
import { BODY_AT, BODY_BYTES, STEPS_PER_UNIT } from '../../app/game/frame.js';
import { FrameView } from '../../app/web/lib/frame-view.js';

const LENGTHS = /** @type {const} */ (['x', 'y', 'a', 'b']);
const BYTES = /** @type {const} */ (['kind', 'owner', 'angle', 'state']);

/**
 * Decodes a whole frame.
 * @param {Uint8Array} bytes one frame
 * @throws {RangeError} when the bytes are not a whole frame of this version
 */
export function decodeFrame(bytes) {
  const view = new FrameView(new Uint8Array(bytes).buffer);
  const { match, tick, phase, round, seconds, extra, bodyCount: count } = view;
  const lengths = () => new Float32Array(count);
  const octets = () => new Uint8Array(count);
  const bodies = {
    count,
    id: Uint16Array.from({ length: count }, (_, i) => view.words[(i * BODY_BYTES) / 2]),
    x: lengths(),
    y: lengths(),
    a: lengths(),
    b: lengths(),
    kind: octets(),
    owner: octets(),
    angle: octets(),
    state: octets(),
  };
  for (let i = 0; i < count; i++) {
    const at = i * BODY_BYTES;
    for (const name of LENGTHS) {
      bodies[name][i] = view.words[(at + BODY_AT[name]) / 2] / STEPS_PER_UNIT;
    }
    for (const name of BYTES) bodies[name][i] = view.bytes[at + BODY_AT[name]];
  }
  const players = Array.from({ length: view.playerCount }, (_, i) => view.player(i));
  const events = Array.from({ length: view.eventCount }, (_, i) => view.event(i));
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
