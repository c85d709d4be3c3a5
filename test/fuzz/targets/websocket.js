/**
 * Text messages, binary messages and broken websocket frames to a real TV from strangers, pads and a screen. An input
 * is one frame.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Client, until } from '../../support/tv.js';
import {
  OPCODE,
  exchange,
  frame,
  goodbye,
  strangerAddress,
  textFrame,
  upgradeRequest,
} from '../../support/wire.js';
import {
  edited,
  jsonBytes,
  nearly,
  oddValue,
  randomBytes,
  weighted,
} from '../support/arbitraries.js';
import { Play } from '../support/play.js';

/** Most messages of one connection. More texts at once are dropped unread, more inputs end it. */
const TEXTS = 28;
const BINARIES = 300;
const BATCH = 600;
/** A player is a pad in the match. */
const ROLES = /** @type {const} */ (['stranger', 'pad', 'player', 'screen']);

const TYPES =
  'hello ping pong start again party end-party join hold wait leave name udp stop bots watch match';
const message = jsonBytes(
  nearly({
    t: fc.constantFrom(...TYPES.split(' '), ''),
    role: fc.constantFrom('pad', 'screen', 'admin'),
    code: fc.constantFrom('', 'BCDF', 'bcdfh', 'BCDFG\u0000', '*****'),
    token: fc.string({ maxLength: 30 }),
    name: fc.string({ unit: 'grapheme', maxLength: 20 }),
    game: fc.constantFrom('endless', 'bumper', '__proto__', 'constructor'),
    match: fc.nat(4),
    options: fc.constant({ seed: 1 }),
    at: fc.double(),
    games: fc.nat(12),
    first: fc.constantFrom('endless', 'bumper'),
    strength: fc.nat(4),
  }),
);
/** Nested thousands of times, or meant to change the prototypes of the TV's objects. */
const BOMBS = [
  `{"t":"hello","role":"pad","code":${'['.repeat(1900)}${']'.repeat(1900)}}`,
  `{"t":"hello","role":"pad","code":"x","token":${'{"a":'.repeat(650)}1${'}'.repeat(650)}}`,
  '{"t":"hello","role":"screen","__proto__":{"polluted":true,"admin":true}}',
  '{"t":"start","game":"endless","options":{"__proto__":{"polluted":true}}}',
  '{"t":"start","game":"endless","options":{"constructor":{"prototype":{"polluted":true}}}}',
  '{"t":"hello","t":"hello","role":"screen","role":"pad"}',
  '9'.repeat(4000),
];
const text = weighted(
  [6, message],
  [2, edited(message)],
  [1, jsonBytes(oddValue)],
  [1, randomBytes(100)],
  [1, fc.constantFrom(...BOMBS).map((bomb) => Buffer.from(bomb))],
).map((bytes) => frame(OPCODE.text, bytes));

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

/** @typedef {{bytes: Buffer, isText: boolean, role: (typeof ROLES)[number]}} Sent */

/** Makes a function that sends frames on new connections, each role on its own ones. @param {Play} play */
async function makeSender({ tv, match }) {
  /** First messages. @type {Record<Sent['role'], Buffer[]>} */
  const firsts = { stranger: [], pad: [], player: [], screen: [] };
  for (const role of ROLES.slice(1)) {
    const hello = { t: 'hello', role: role === 'screen' ? 'screen' : 'pad', code: tv.code };
    const client = await Client.connect(tv, hello);
    const { token } = await client.next('welcome');
    client.vanish();
    firsts[role] = [textFrame({ ...hello, token })];
    if (role === 'player') firsts[role].push(textFrame({ t: 'join', match: match.id }));
  }
  let strangers = 0;
  /**
   * @param {Sent[]} all @param {{count: number, end: boolean}} how count: most frames of a connection; end: this side
   *   ends it
   */
  return async (all, { count, end }) => {
    const sent = [];
    for (const role of ROLES) {
      const frames = all.filter((each) => each.role === role).map(({ bytes }) => bytes);
      for (let at = 0; at < frames.length; at += count) {
        // Guessing codes locks an address, so each stranger has its own.
        const localAddress = role === 'stranger' ? strangerAddress(strangers++) : undefined;
        const some = [...firsts[role], ...frames.slice(at, at + count), goodbye];
        const bytes = Buffer.concat([Buffer.from(upgradeRequest(tv)), ...some]);
        sent.push(exchange(Number(tv.port), bytes, { end, localAddress }));
      }
    }
    await Promise.all(sent);
  };
}

/** @type {import('../run-target.js').Target<Sent>} */
export default {
  batch: BATCH,
  input: fc.oneof(
    fc.record({
      bytes: text,
      isText: fc.constant(true),
      role: fc.constantFrom('stranger', 'pad', 'screen'),
    }),
    fc.record({
      bytes: weighted([200, whole], [1, broken]),
      isText: fc.constant(false),
      role: fc.constantFrom(...ROLES),
    }),
  ),
  open: () =>
    Play.openHarness(async (play) => {
      const send = await makeSender(play);
      return async (all) => {
        const [x, y] = [100 - (all.length % 200), all.length % 100];
        play.ann.input(x, y);
        const arrived = () => play.annInput().x === x && play.annInput().y === y;
        await until(arrived, "Ann's input");
        const texts = all.filter(({ isText }) => isText);
        await send(texts, { count: TEXTS, end: false });
        // The server waits for the rest of a frame with a wrong length, so this side ends the connection.
        const binaries = all.filter(({ isText }) => !isText);
        await send(binaries, { count: BINARIES, end: true });
        play.unharmed({ players: 3 });
        assert.deepEqual(play.annInput(), { x, y }, "Ann's input");
      };
    }),
};
