/** Attacks by websocket frames: forbidden, oversized, endless and unread ones, and floods of them. */
import { deflateRawSync } from 'node:zlib';
import { LIMITS } from '../../../app/limits/table.js';
import { OPCODE, frame, request, textFrame, upgradeRequest } from '../../support/wire.js';
import { clients, inTurns, staying } from '../support/attacker.js';

const BIG = 65_536;
const FILLING = Buffer.alloc(BIG, 'x');
const COMBINING = 'a' + '\u0301'.repeat(1000);
const FAMILY = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d'.repeat(100);
const INPUT = Buffer.from([1, 100, 100, 3, 9, 9, 0, 1]);
const SCREEN = textFrame({ t: 'hello', role: 'screen' });
const CONTROL = [OPCODE.pong, OPCODE.ping, OPCODE.close];
/** Lengths that frames claim. */
const CLAIMS = [LIMITS.messageBytes.value + 1, BIG, 2 ** 31, 2 ** 32, 2 ** 40];
/** Forbidden by RFC 6455: unmasked, reserved bits and opcodes, fragmented control frames, impossible lengths. */
const FORBIDDEN = [
  frame(OPCODE.text, 'hi', { masked: false }),
  frame(OPCODE.text, 'hi', { reserved: 1 }),
  frame(OPCODE.text, 'hi', { reserved: 7 }),
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode) => frame(opcode, 'x')),
  frame(OPCODE.ping, 'x'.repeat(200)),
  frame(OPCODE.ping, 'x', { fin: false }),
  frame(OPCODE.continuation, 'x'),
  frame(OPCODE.close, 'x'),
  frame(OPCODE.close, Buffer.from([0, 0])),
  frame(OPCODE.close, Buffer.from([3, 237])),
  frame(OPCODE.text, Buffer.from([0xff, 0xfe, 0xc0])),
  frame(OPCODE.text, Buffer.from([0xed, 0xa0, 0x80])),
  frame(OPCODE.binary, '', { length: 2 ** 52 }),
  Buffer.from([0x82, 0xff, 255, 255, 255, 255, 255, 255, 255, 255]),
  Buffer.concat([frame(OPCODE.text, 'a', { fin: false }), frame(OPCODE.text, 'b')]),
];
const OFFERS = [
  'permessage-deflate',
  'permessage-deflate; client_max_window_bits=8; server_max_window_bits=8',
  `permessage-deflate, ${'permessage-deflate; server_no_context_takeover, '.repeat(100)}x`,
  'permessage-deflate; client_max_window_bits=99',
  'x-webkit-deflate-frame',
];
/** Small, and 3 MB when it is decompressed. */
const BOMB = deflateRawSync(Buffer.alloc(3_000_000)).subarray(0, 4000);

/** Repeats bytes. @param {number} count @param {Buffer} bytes */
const times = (count, bytes) => Buffer.concat(new Array(count).fill(bytes));

/** Makes hellos, right ones and wrong ones. @param {{code: string}} tv */
const hellos = ({ code }) =>
  [
    { t: 'hello', role: 'screen' },
    { t: 'hello', role: 'pad', code, name: 'Hello' },
    { t: 'hello', role: 'pad', token: 'x'.repeat(64), code },
    { t: 'hello', role: 'screen', token: 'x'.repeat(4000) },
    { t: 'hello', role: 'admin' },
    { t: 'hello' },
  ].map(textFrame);

const FLOODS = [
  frame(OPCODE.binary, INPUT),
  textFrame({ t: 'ping', at: 1 }),
  textFrame({ t: 'leave' }),
  frame(OPCODE.text, 'not JSON'),
  textFrame({ t: 'watch', match: null }),
  frame(OPCODE.text, ''),
];

const PINGS = times(500, frame(OPCODE.ping, 'p'.repeat(125)));

/** @type {Record<string, import('../support/attacker.js').Attack>} */
export default {
  'broken-frames': {
    name: 'frames against the rules',
    run: inTurns(20, FORBIDDEN, async (attacker, bytes) => {
      const { upgrade, write, pause, check, signal } = attacker;
      const socket = await upgrade();
      if (!(await write(socket, bytes))) return;
      for (let waits = 0; waits < 100 && !socket.destroyed && !signal.aborted; waits++) {
        await pause(20);
      }
      check(socket.destroyed, `a connection outlived the frame ${bytes.toString('hex', 0, 40)}`);
      socket.destroy();
    }),
  },

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

  'control-frames': {
    name: 'floods of control frames',
    bounds: { seconds: 3, bytes: 30_000_000 },
    run: clients(6, async ({ upgrade, write, flood }, { i }) => {
      const socket = await upgrade();
      if (i % 2) await write(socket, SCREEN);
      await flood(socket, times(2000, frame(CONTROL[i % CONTROL.length])));
    }),
  },

  // Fragments of a message without the last one. Empty ones cost the sender least.
  'endless-fragments': {
    name: 'websocket fragments without an end',
    run: clients(8, async ({ upgrade, write, flood }, { i }) => {
      const socket = await upgrade();
      await write(socket, frame(OPCODE.text, '', { fin: false }));
      await flood(
        socket,
        times(1000, frame(OPCODE.continuation, 'x'.repeat(i % 3), { fin: false })),
      );
    }),
  },

  'hello-storm': {
    name: 'storm of hellos',
    bounds: { seconds: 4, bytes: 30_000_000 },
    run: inTurns(12, hellos, async ({ upgrade, flood }, hello) =>
      flood(await upgrade(), times(50, hello)),
    ),
  },

  'long-names': {
    name: 'names of 64 KiB',
    bounds: { seconds: 3, bytes: 40_000_000 },
    run: clients(6, async ({ tv, ask, upgrade, write, pause }, { i, turn }) => {
      const hello = (/** @type {string} */ name) =>
        textFrame({ t: 'hello', role: 'pad', code: tv.code, name });
      const socket = await upgrade();
      if (i === 0) await write(socket, hello('x'.repeat(BIG)));
      else if (i === 1) await write(socket, frame(OPCODE.text, `{"t":"${'t'.repeat(4000)}"}`));
      else if (i === 2) {
        const names = Array.from({ length: 200 }, (_, n) => `"__proto__${n}":1`).join();
        await write(socket, frame(OPCODE.text, `{"t":"hello",${names}}`));
      } else {
        await write(socket, hello(i % 2 ? COMBINING : FAMILY));
        for (let n = 0; n < 20; n++) {
          const name = (i % 2 ? FAMILY : COMBINING) + turn + n;
          if (!(await write(socket, textFrame({ t: 'name', name })))) break;
        }
      }
      await ask(request(tv, `/api/games/${'g'.repeat(10_000)}/preview`));
      await pause(20);
      socket.destroy();
    }),
  },

  'message-floods': {
    name: 'floods of messages and inputs',
    bounds: { seconds: 3, bytes: 30_000_000 },
    run: clients(6, async ({ tv, upgrade, write, flood, pause }, { i }) => {
      const socket = await upgrade();
      const role = i < 4 ? { role: 'pad', code: tv.code, name: 'Flood' } : { role: 'screen' };
      await write(socket, textFrame({ t: 'hello', ...role }));
      await pause(20);
      await flood(socket, times(500, FLOODS[i]));
    }),
  },

  // Frames that claim gigabytes and send megabytes, and frames one byte over the limit.
  'oversized-frames': {
    name: 'frames that are too big',
    bounds: { seconds: 3, bytes: 40_000_000 },
    run: inTurns(10, CLAIMS, async ({ upgrade, write, flood }, length, { i, turn }) => {
      const socket = await upgrade();
      if (i % 2) await write(socket, SCREEN);
      await write(socket, frame(turn % 2 ? OPCODE.text : OPCODE.binary, '', { length }));
      await flood(socket, FILLING);
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
