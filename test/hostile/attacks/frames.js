/** Attacks by websocket frames: compressed, costly and unread ones, and floods of them. */
import { deflateRawSync } from 'node:zlib';
import { OPCODE, frame, textFrame, upgradeRequest } from '../../support/wire.js';
import { clients, inTurns } from '../support/attacker.js';

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

/** Repeats bytes. @param {number} count @param {Buffer} bytes */
const times = (count, bytes) => Buffer.concat(new Array(count).fill(bytes));

const FLOODS = [
  frame(OPCODE.binary, Buffer.from([1, 100, 100, 3, 9, 9, 0, 1])),
  textFrame({ t: 'ping', at: 1 }),
  textFrame({ t: 'leave' }),
  frame(OPCODE.text, 'not JSON'),
  frame(OPCODE.text, ''),
  frame(OPCODE.pong),
  frame(OPCODE.close),
];

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
};
