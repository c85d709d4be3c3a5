/** Connections that are left alone in every state: the TV has to end each of them by itself. */
import { hostLine, request, upgradeRequest } from '../support/wire.js';

const SOCKETS = 10;
/** The longest timeout of the TV: 30 s for a whole request, looked at every 2 s. */
const TV_ENDS_S = 34;

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'connections left alone are ended',
  slow: true,
  bounds: { seconds: TV_ENDS_S + 4, bytes: 1_000_000 },
  async run({ tv, crowd, open, pause }) {
    const beginnings = [
      '',
      'GET',
      `GET / HTTP/1.1\r\n${hostLine(tv)}`,
      `POST /api/matches HTTP/1.1\r\n${hostLine(tv)}Content-Length: 9\r\n\r\n{`,
      request(tv, '/', { close: false }),
      upgradeRequest(tv),
      upgradeRequest(tv, '', '/nope'),
    ];
    const sockets = await crowd(SOCKETS * beginnings.length, async (i) => {
      const socket = await open();
      socket.resume();
      socket.write(beginnings[i % beginnings.length]);
      return socket;
    });
    await pause(TV_ENDS_S * 1000);
    const left = sockets.flatMap((socket, i) =>
      socket.destroyed ? [] : [beginnings[i % beginnings.length]],
    );
    if (left.length > 0) {
      throw new Error(`${left.length} connections were left open: ${[...new Set(left)].join('|')}`);
    }
  },
};
