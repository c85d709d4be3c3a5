import { FrameWriter } from '../../app/game/frame-writer.js';

/**
 * Writes a frame for a test.
 * @param {object} what
 * @param {number} what.tick
 * @param {number} [what.match]
 * @param {{id: number, x: number, y: number, a?: number, b?: number, kind?: number, owner?: number,
 *   angle?: number, state?: number}[]} [what.bodies]
 * @param {{sequence: number, type?: number}[]} [what.events]
 * @param {{score: number, flags?: number, body?: number}[]} [what.players]
 * @returns {ArrayBuffer}
 */
export function frame({ tick, match = 1, bodies = [], events = [], players = [] }) {
  const bytes = new Uint8Array(24 + players.length * 12 + events.length * 8 + bodies.length * 14);
  const writer = new FrameWriter();
  writer.attach(bytes);
  writer.begin({
    match,
    tick,
    phase: 1,
    round: 1,
    timer: 123,
    extra: [1, 2, 3, 4],
    players: players.length,
    events: events.length,
  });
  for (const { score, flags = 3, body = 0 } of players) writer.player(7, score, flags, 200, body);
  for (const { sequence, type = 0 } of events) writer.event(sequence, type, 255, 10, 20);
  for (const { id, x, y, a = 10, b = 0, kind = 0, owner = 255, angle = 0, state = 0 } of bodies) {
    writer.body(id, x, y, a, b, kind, owner, angle, state);
  }
  return bytes.buffer.slice(0, writer.end());
}
