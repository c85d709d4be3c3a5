/**
 * Clients that request pages and never read them: four send thousands of requests each, hundreds send a few on
 * connections with a small window.
 */
import { request } from '../support/wire.js';

const GREEDY = { sockets: 4, requests: 3000, path: '/' };
const MODEST = { sockets: 480, requests: 4, path: '/lib/renderer.js' };

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'pages that are never read',
  bounds: { seconds: 5, bytes: 20_000_000 },
  async run({ tv, addresses, crowd, open, write, over }) {
    const ask = ({ sockets, requests, path } = GREEDY) =>
      crowd(sockets, async (i) => {
        const socket = await open({ address: addresses[i % addresses.length] });
        socket.pause();
        await write(socket, request(tv, path, { close: false }).repeat(requests));
      });
    await Promise.all([ask(GREEDY), ask(MODEST)]);
    await over();
  },
};
