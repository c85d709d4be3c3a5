/** Makes frames for tests of their readers. */
import { FrameWriter } from '../../app/game/frame-writer.js';
import { frameBytes } from '../../app/game/frame.js';

/**
 * Makes a frame with one body.
 * @param {{players?: number[][], events?: number[][], phase?: number, timer?: number, tick?: number, extra?: number[]}}
 *   what
 * @returns {Uint8Array}
 */
export function makeFrame({ players = [], events = [], phase = 1, timer = 0, ...rest }) {
  const { tick = 5, extra = [] } = rest;
  const writer = new FrameWriter();
  const bytes = new Uint8Array(frameBytes(1, players.length, events.length));
  writer.attach(bytes);
  const counts = { players: players.length, events: events.length };
  writer.begin({ match: 1, tick, phase, round: 2, timer, extra, ...counts });
  for (const [sequence, score, flags, gauge] of players) {
    writer.player(sequence, score, flags, gauge, 0);
  }
  for (const [sequence, type, owner] of events) writer.event(sequence, type, owner, 0, 0);
  writer.body(0, 1, 2, 3, 0, 0, 0, 0, 0);
  return bytes.subarray(0, writer.end());
}
