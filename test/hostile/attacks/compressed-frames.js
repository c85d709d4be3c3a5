/** Websockets that offer every compression and send compressed frames without an agreement. */
import { deflateRawSync } from 'node:zlib';
import { frame, OPCODE, upgradeRequest } from '../support/wire.js';

const OFFERS = [
  'permessage-deflate',
  'permessage-deflate; client_max_window_bits=8; server_max_window_bits=8',
  `permessage-deflate, ${'permessage-deflate; server_no_context_takeover, '.repeat(100)}x`,
  'permessage-deflate; client_max_window_bits=99',
  'x-webkit-deflate-frame',
];

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'compressed websocket frames',
  bounds: { seconds: 3, bytes: 20_000_000 },
  async run({ tv, crowd, open, read, repeat, signal }) {
    const bomb = deflateRawSync(Buffer.alloc(3_000_000)).subarray(0, 4000);
    await crowd(10, (i) =>
      repeat(async (turn) => {
        const socket = await open();
        const offer = OFFERS[(i + turn) % OFFERS.length];
        socket.write(upgradeRequest(tv, `Sec-WebSocket-Extensions: ${offer}\r\n`));
        socket.write(frame(OPCODE.text, bomb, { reserved: 4 }));
        const answer = await read(socket);
        if (!signal.aborted && /^sec-websocket-extensions/im.test(answer)) {
          throw new Error(`the TV agreed to ${offer}`);
        }
      }),
    );
  },
};
