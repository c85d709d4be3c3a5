/** Sends fragments of messages without the last one. Empty fragments cost the sender least. */
import { frame, OPCODE } from '../support/wire.js';

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'websocket fragments without an end',
  bounds: { seconds: 3, bytes: 20_000_000 },
  async run({ crowd, upgrade, write, flood, repeat }) {
    await crowd(8, (i) =>
      repeat(async () => {
        const socket = await upgrade();
        await write(socket, frame(OPCODE.text, '', { fin: false }));
        const next = frame(OPCODE.continuation, 'x'.repeat(i % 3), { fin: false });
        await flood(socket, Buffer.concat(new Array(1000).fill(next)));
      }),
    );
  },
};
