/** Makes frames for tests of their readers. */
import { FrameWriter } from '../../app/game/frame-writer.js';
import { frameBytes } from '../../app/game/frame.js';

/**
 * Makes a frame. Numbers that are not given have a default.
 * @param {{match?: number, tick?: number, phase?: number, timer?: number, extra?: number[],
 *   players?: Partial<import('../../app/game/frame.js').PlayerRecord>[],
 *   events?: Partial<import('../../app/game/frame.js').EventRecord>[],
 *   bodies?: {id: number, x: number, y: number, a?: number, b?: number, kind?: number, owner?: number, angle?: number,
 *     state?: number}[]}} what
 */
export function makeFrame({ players = [], events = [], bodies = [], ...head }) {
  const counts = { players: players.length, events: events.length };
  const bytes = new Uint8Array(frameBytes(bodies.length, counts.players, counts.events));
  const writer = new FrameWriter();
  writer.attach(bytes);
  writer.begin({ match: 1, tick: 5, phase: 1, round: 2, timer: 0, extra: [], ...head, ...counts });
  for (const { inputSequence = 7, score = 0, flags = 0, gauge = 0, body = 0 } of players) {
    writer.player(inputSequence, score, flags, gauge, body);
  }
  for (const { sequence = 0, type = 0, owner = 255, x = 10, y = 20 } of events) {
    writer.event(sequence, type, owner, x, y);
  }
  for (const { id, x, y, a = 10, b = 0, kind = 0, owner = 255, angle = 0, state = 0 } of bodies) {
    writer.body(id, x, y, a, b, kind, owner, angle, state);
  }
  return bytes.slice(0, writer.end());
}
