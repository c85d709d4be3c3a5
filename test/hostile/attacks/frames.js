/** Attacks by websocket frames: compressed, costly and unread ones, and floods of them. */
import { deflateRawSync } from 'node:zlib';
import { OPCODE, frame, postJson, textFrame, upgradeRequest } from '../../support/wire.js';
import { clients, inTurns, staying } from '../support/attacker.js';

const SCREEN = textFrame({ t: 'hello', role: 'screen' });
const OFFERS = [
  'permessage-deflate',
  'permessage-deflate; client_max_window_bits=8; server_max_window_bits=8',
  `permessage-deflate, ${'permessage-deflate; server_no_context_takeover, '.repeat(100)}x`,
  'permessage-deflate; client_max_window_bits=99',
  'x-webkit-deflate-frame',
];
/** Small, and 3 MB when it is decompressed. */
const BOMB = deflateRawSync(Buffer.alloc(3_000_000)).subarray(0, 4000);

/** JSON nested thousands of times, and JSON that tries to change the prototypes of the TV's objects. */
const NESTED = '['.repeat(1900) + ']'.repeat(1900);
const OBJECTS = '{"a":'.repeat(650) + '1' + '}'.repeat(650);
const POLLUTING = [
  '{"t":"hello","role":"screen","__proto__":{"polluted":true,"admin":true}}',
  '{"t":"start","game":"collide","options":{"__proto__":{"polluted":true}}}',
  '{"t":"start","game":"bumper","options":{"constructor":{"prototype":{"polluted":true}}}}',
  `{"t":"hello","role":"pad","code":${NESTED}}`,
  `{"t":"hello","role":"pad","code":"x","token":${OBJECTS}}`,
  `{"t":"name","name":${NESTED}}`,
  '{"t":"join","match":1e999}',
  '{"t":"hello","t":"hello","role":"screen","role":"pad"}',
  `${'9'.repeat(4000)}`,
];

/** Repeats bytes. @param {number} count @param {Buffer} bytes */
const times = (count, bytes) => Buffer.concat(new Array(count).fill(bytes));

/** Makes hellos. @param {{code: string}} tv */
const hellos = ({ code }) => [SCREEN, textFrame({ t: 'hello', role: 'pad', code, name: 'Hello' })];

const FLOODS = [
  frame(OPCODE.binary, Buffer.from([1, 100, 100, 3, 9, 9, 0, 1])),
  textFrame({ t: 'ping', at: 1 }),
  textFrame({ t: 'leave' }),
  frame(OPCODE.text, 'not JSON'),
  frame(OPCODE.text, ''),
  frame(OPCODE.pong),
  frame(OPCODE.close),
];

const PINGS = times(500, frame(OPCODE.ping, 'p'.repeat(125)));

/** @type {Record<string, import('../support/attacker.js').Attack>} */
export default {
  // Offers of compression, and compressed frames without an agreement.
  'compressed-frames': {
    name: 'compressed websocket frames',
    run: inTurns(10, OFFERS, async ({ tv, open, read, check }, offer) => {
      const socket = await open();
      const headers = `Sec-WebSocket-Extensions: ${offer}\r\n`;
      socket.write(upgradeRequest(tv, { headers }));
      socket.write(frame(OPCODE.text, BOMB, { reserved: 4 }));
      const answer = await read(socket);
      check(!/^sec-websocket-extensions/im.test(answer), `the TV agreed to ${offer}`);
    }),
  },

  'json-bombs': {
    name: 'JSON bombs and prototype pollution',
    async run(attacker) {
      const { tv } = attacker;
      const send = inTurns(8, POLLUTING, async ({ ask, upgrade, write, pause }, text, { i }) => {
        await ask(postJson(tv, i % 2 ? '/api/matches' : '/api/admin/login', text));
        const socket = await upgrade();
        for (const each of [text, '{"t":"hello","role":"screen"}', ...POLLUTING])
          await write(socket, frame(OPCODE.text, each));
        await pause(50);
        socket.destroy();
      });
      await send(attacker);
      const session = await (await fetch(`${tv.url}/api/admin/session`)).json();
      if (session.admin || session.polluted) throw new Error(JSON.stringify(session));
    },
  },

  'message-floods': {
    name: 'floods of messages, inputs and control frames',
    bounds: { seconds: 3, bytes: 30_000_000 },
    run: clients(FLOODS.length, async ({ tv, upgrade, write, flood, pause }, { i }) => {
      const socket = await upgrade();
      const role = i < 4 ? { role: 'pad', code: tv.code, name: 'Flood' } : { role: 'screen' };
      await write(socket, textFrame({ t: 'hello', ...role }));
      await pause(20);
      await flood(socket, times(500, FLOODS[i]));
    }),
  },

  'reconnect-storm': {
    name: 'storm of reconnects',
    bounds: { seconds: 4, bytes: 30_000_000 },
    run: clients(32, async ({ tv, from, upgrade, write }, { i, turn }) => {
      const socket = await upgrade(from(i));
      if (turn % 3) await write(socket, hellos(tv)[turn % 2]);
      if (turn % 5) socket.destroy();
      else socket.resetAndDestroy();
    }),
  },

  'unread-frames': {
    name: 'frames that are never read',
    bounds: { seconds: 5, bytes: 20_000_000 },
    async run({ matches, crowd, upgrade, over }) {
      const running = await matches();
      await crowd(60, async () => {
        const socket = await upgrade();
        socket.pause();
        socket.write(SCREEN);
        for (const { id } of running) socket.write(textFrame({ t: 'watch', match: id }));
      });
      await over();
    },
  },

  'unread-pongs': {
    name: 'pings whose pongs are not read',
    bounds: { seconds: 4, bytes: 60_000_000 },
    run: staying(8, async ({ upgrade, flood }) => {
      const socket = await upgrade();
      socket.pause();
      await flood(socket, PINGS);
    }),
  },
};
