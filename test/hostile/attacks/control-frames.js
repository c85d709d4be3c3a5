/** As many pongs, pings or closes as the network carries, before the hello and after it. */
import { frame, OPCODE, textFrame } from '../support/wire.js';

const KINDS = [OPCODE.pong, OPCODE.ping, OPCODE.close];
const AT_ONCE = 2000;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'floods of control frames',
  bounds: { seconds: 3, bytes: 30_000_000 },
  async run({ crowd, upgrade, write, flood, repeat }) {
    await crowd(6, (i) =>
      repeat(async () => {
        const socket = await upgrade();
        if (i % 2) await write(socket, textFrame({ t: 'hello', role: 'screen' }));
        await flood(socket, Buffer.concat(new Array(AT_ONCE).fill(frame(KINDS[i % KINDS.length]))));
      }),
    );
  },
};
