/** Websockets of an unknown path: the answer is read, more bytes are sent, half of the connection is closed. */
import { hostLine } from '../support/wire.js';

const SOCKETS = 120;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'refused upgrades that are half closed',
  bounds: { seconds: 3, bytes: 2_000_000 },
  async run({ tv, addresses, crowd, open }) {
    const upgrade = `GET /nope HTTP/1.1\r\n${hostLine(tv)}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    for (const address of addresses) {
      await crowd(SOCKETS, async () => {
        const socket = await open({ address, allowHalfOpen: true });
        socket.write(upgrade);
        await new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
        socket.end('more');
      });
    }
  },
};
