/** Binary messages and broken websocket frames to a real TV. An input is one frame. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { until } from '../../support/tv.js';
import { edited, randomBytes, weighted } from '../support/arbitraries.js';
import { Play, makeSender } from '../support/play.js';
import { OPCODE, frame } from '../../support/wire.js';

/** Frames of one connection. A pad with more dropped frames at once is disconnected. */
const FRAMES = 300;
const CONNECTIONS = 4;
const ROLES = /** @type {const} */ (['stranger', 'pad', 'player', 'screen']);

const axis = fc.integer({ min: -128, max: 127 });
const byte = fc.nat(255);
const input = fc
  .tuple(axis, axis, byte, byte, byte, fc.nat(65535))
  .map(([x, y, ...rest]) =>
    Buffer.from([1, x, y, ...rest.slice(0, 3), rest[3] & 255, rest[3] >> 8]),
  );
const payload = weighted([6, input], [3, edited(input)], [1, randomBytes(200)]);
const whole = payload.map((bytes) => frame(OPCODE.binary, bytes));
/** Broken frames: reserved bits, wrong lengths, fragments, no mask. Most of them end the connection. */
const broken = fc.oneof(
  edited(whole),
  fc.tuple(payload, fc.nat(15)).map(([bytes, opcode]) => frame(opcode, bytes.subarray(0, 120))),
);

/** @typedef {{bytes: Buffer, role: (typeof ROLES)[number]}} Sent */

/** @type {import('../support/target.js').Target<Sent>} */
export default {
  batch: FRAMES * CONNECTIONS,
  input: fc.record({
    bytes: weighted([200, whole], [1, broken]),
    role: fc.constantFrom(...ROLES),
  }),
  open: () =>
    Play.openHarness(async (play) => {
      // The server waits for the rest of a frame with a wrong length, so this side ends the connection.
      const send = await makeSender(play, ROLES, { count: FRAMES, end: true });
      return async (all) => {
        const [x, y] = [100 - (all.length % 200), all.length % 100];
        play.ann.input(x, y);
        const arrived = () => play.annInput().x === x && play.annInput().y === y;
        await until(arrived, "Ann's input");
        await send(all);
        play.unharmed({ players: 2 });
        assert.deepEqual(play.annInput(), { x, y }, "Ann's input");
      };
    }),
};
