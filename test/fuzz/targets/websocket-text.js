/** Text messages to a real TV from strangers, a pad and a screen. An input is one message. */
import fc from 'fast-check';
import {
  edited,
  jsonBytes,
  nearly,
  oddValue,
  randomBytes,
  weighted,
} from '../support/arbitraries.js';
import { Play, makeSender } from '../support/play.js';
import { OPCODE, frame } from '../../support/wire.js';

/** Messages of one connection. More at once are dropped unread. */
const TEXTS = 28;
const CONNECTIONS = 12;

const TYPES =
  'hello ping pong start again join leave name udp stop watch match error welcome lobby'.split(' ');
const message = jsonBytes(
  nearly({
    t: fc.constantFrom(...TYPES, ''),
    role: fc.constantFrom('pad', 'screen', 'admin'),
    code: fc.constantFrom('', 'BCDF', 'bcdfh', 'BCDFG\u0000', '*****'),
    token: fc.string({ maxLength: 30 }),
    name: fc.string({ unit: 'grapheme', maxLength: 20 }),
    game: fc.constantFrom('endless', 'bumper', '__proto__', 'constructor'),
    match: fc.nat(4),
    options: fc.constant({ seed: 1 }),
    at: fc.double(),
    from: fc.constantFrom('last', 'now'),
    seconds: fc.nat(40),
    height: fc.constantFrom(480, 720),
    id: fc.string({ maxLength: 24 }),
  }),
);

/** @typedef {{bytes: Buffer, role: 'stranger' | 'pad' | 'screen'}} Message */

const ROLES = /** @type {const} */ (['stranger', 'pad', 'screen']);

/** @type {import('../support/target.js').Target<Message>} */
export default {
  batch: TEXTS * CONNECTIONS,
  input: fc.record({
    bytes: weighted(
      [6, message],
      [2, edited(message)],
      [1, jsonBytes(oddValue)],
      [1, randomBytes(100)],
    ),
    role: fc.constantFrom(...ROLES),
  }),
  open: () =>
    Play.openHarness(async (play) => {
      const send = await makeSender(play, ROLES, { count: TEXTS, end: false });
      return async (messages) => {
        await send(messages.map(({ role, bytes }) => ({ role, bytes: frame(OPCODE.text, bytes) })));
        play.unharmed({ players: 1 });
      };
    }),
};
