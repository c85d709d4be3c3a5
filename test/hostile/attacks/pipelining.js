/** Thousands of requests on connections that never read the answers. */
import { request } from '../support/wire.js';

const REQUESTS = 3000;
const SOCKETS = 4;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'pipelined requests, answers not read',
  bounds: { seconds: 5, bytes: 2_000_000 },
  async run({ tv, crowd, open, write, over }) {
    const bytes = request(tv, '/', { close: false }).repeat(REQUESTS);
    await crowd(SOCKETS, async () => {
      const socket = await open();
      socket.pause();
      await write(socket, bytes);
    });
    await over();
  },
};
