/** Pings of 125 bytes from a client that never reads the pongs. */
import { frame, OPCODE } from '../support/wire.js';

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'pings whose pongs are not read',
  bounds: { seconds: 4, bytes: 60_000_000 },
  async run({ crowd, upgrade, flood, over }) {
    const pings = Buffer.concat(new Array(500).fill(frame(OPCODE.ping, 'p'.repeat(125))));
    await crowd(8, async () => {
      const socket = await upgrade();
      socket.pause();
      await flood(socket, pings);
    });
    await over();
  },
};
