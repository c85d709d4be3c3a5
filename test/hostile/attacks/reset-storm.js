/** Connections that are reset in the middle of a request, a body, an answer or a websocket's start. */
import { hostLine, request, upgradeRequest } from '../support/wire.js';

const SOCKETS = 40;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'storm of resets',
  bounds: { seconds: 3, bytes: 20_000_000 },
  async run({ tv, crowd, open, write, pause, repeat }) {
    const beginnings = [
      'GE',
      request(tv, '/lib/renderer.js'),
      `POST /api/matches HTTP/1.1\r\n${hostLine(tv)}Content-Length: 9\r\n\r\n{`,
      upgradeRequest(tv),
      request(tv, '/metrics'),
    ];
    await crowd(SOCKETS, (i) =>
      repeat(async (turn) => {
        const socket = await open();
        await write(socket, beginnings[(i + turn) % beginnings.length]);
        await pause(turn % 3);
        socket.resetAndDestroy();
      }),
    );
  },
};
