/** Clients that request pages and scripts with a small window and never read them. */
import { request } from '../support/wire.js';

const SOCKETS = 480;
const REQUESTS = 4;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'pages that are never read',
  bounds: { seconds: 4, bytes: 20_000_000 },
  async run({ tv, addresses, crowd, open, over }) {
    await crowd(SOCKETS, async (i) => {
      const socket = await open({ address: addresses[i % addresses.length] });
      socket.pause();
      socket.write(request(tv, '/lib/renderer.js', { close: false }).repeat(REQUESTS));
    });
    await over();
  },
};
