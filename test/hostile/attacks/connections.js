/** Attacks by connections: slow and reset ones. */
import { hostLine, request, upgradeRequest } from '../../support/wire.js';
import { inTurns } from '../support/attacker.js';

const FILE = '/lib/renderer.js';

/** @param {Place} tv @param {number} length of the body, or what the client says about it */
const head = (tv, length, path = '/api/matches') =>
  `POST ${path} HTTP/1.1\r\n${hostLine(tv)}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

/** Begins requests that never end: headers, and bodies to every route that reads one. @param {Place} tv */
const slowRequests = (tv) => [
  { start: `GET / HTTP/1.1\r\n${hostLine(tv)}`, more: 'X-Slow: 1\r\n' },
  { start: head(tv, 1000), more: ' ' },
  { start: head(tv, 1000, '/api/admin/login'), more: ' ' },
  { start: head(tv, 1000, '/api/admin/password'), more: ' ' },
];

/** @param {Place} tv @returns {string[]} */
const beginnings = (tv) => [
  'GE',
  request(tv, FILE),
  `${head(tv, 9)}{`,
  upgradeRequest(tv),
  request(tv, '/metrics'),
];

/** @typedef {import('../../support/wire.js').Place} Place */

/** @type {Record<string, import('../support/attacker.js').Attack>} */
export default {
  // In the middle of a request, a body, an answer, or the start of a websocket.
  'reset-storm': {
    name: 'storm of resets',
    run: inTurns(40, beginnings, async ({ open, write, pause }, beginning, { turn }) => {
      const socket = await open();
      await write(socket, beginning);
      await pause(turn % 3);
      socket.resetAndDestroy();
    }),
  },

  slowloris: {
    name: 'slowloris, headers and bodies',
    bounds: { seconds: 8, bytes: 2_000_000 },
    run: inTurns(160, slowRequests, async ({ open, write, pause }, { start, more }) => {
      const socket = await open();
      await write(socket, start);
      while (await write(socket, more)) await pause(50);
      await pause(50);
    }),
  },
};
