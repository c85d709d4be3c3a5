/** Attacks by connections: slow, idle, unread, flooding and reset ones. */
import { OPCODE, frame, hostLine, request, textFrame, upgradeRequest } from '../../support/wire.js';

const FILE = '/lib/renderer.js';

/** @param {Place} tv @param {number} length of the body, or what the client says about it */
const head = (tv, length, path = '/api/matches') =>
  `POST ${path} HTTP/1.1\r\n${hostLine(tv)}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

/** @param {Place} tv @returns {string[]} what idle connections have sent */
function idleStates(tv) {
  const page = request(tv, FILE, { close: false });
  return [
    '',
    'GET',
    `GET / HTTP/1.1\r\n${hostLine(tv)}`,
    `${head(tv, 9)}{`,
    page,
    page.repeat(2000),
    upgradeRequest(tv),
    websocket(tv),
    upgradeRequest(tv, { path: '/nope' }),
  ];
}

/** Begins requests that never end: headers, and bodies to every route that reads one. @param {Place} tv */
const slowRequests = (tv) => [
  { start: `GET / HTTP/1.1\r\n${hostLine(tv)}`, more: 'X-Slow: 1\r\n' },
  { start: head(tv, 1000), more: ' ' },
  { start: head(tv, 1000, '/api/admin/login'), more: ' ' },
  { start: head(tv, 1000, '/api/admin/password'), more: ' ' },
];

/** Begins a websocket. @param {Place} tv @param {object} [hello] further fields */
const websocket = (tv, hello) =>
  upgradeRequest(tv) + textFrame({ t: 'hello', role: 'screen', ...hello }).toString('latin1');

/** @param {Place & {code: string}} tv @returns {string[]} */
const beginnings = (tv) => [
  'GE',
  request(tv, FILE),
  `${head(tv, 9)}{`,
  upgradeRequest(tv),
  websocket(tv),
  websocket(tv, { role: 'pad', code: tv.code, name: 'Hello' }),
  request(tv, '/metrics'),
];

const FLOODS = [
  frame(OPCODE.binary, Buffer.from([1, 100, 100, 3, 9, 9, 0, 1])),
  textFrame({ t: 'ping', at: 1 }),
  textFrame({ t: 'leave' }),
  frame(OPCODE.text, 'not JSON'),
  frame(OPCODE.text, ''),
  frame(OPCODE.ping, 'p'.repeat(125)),
  frame(OPCODE.pong),
  frame(OPCODE.close),
];

/** @typedef {import('../../support/wire.js').Place} Place */

/** @type {Record<string, import('../support/attacker.js').Attack>} */
export default {
  // The client never closes these connections: the TV closes each of them.
  'idle-connections': {
    name: 'idle connections',
    slow: true,
    holds: true,
    recoveryMs: 40_000, // a whole request may take 30 s, and the TV looks every 2 s
    bounds: { seconds: 4, bytes: 20_000_000 },
    clients: 72,
    async enter({ tv, open }, i) {
      const states = idleStates(tv);
      const socket = await open({ allowHalfOpen: true });
      if (i % 2) socket.pause();
      else socket.resume();
      socket.write(states[i % states.length], 'latin1');
    },
  },

  'message-floods': {
    name: 'floods of messages, inputs and control frames',
    bounds: { seconds: 3, bytes: 30_000_000 },
    clients: FLOODS.length,
    async act({ tv, open, write, flood, pause }, { i }) {
      const socket = await open();
      socket.resume();
      const pad = { role: 'pad', code: tv.code, name: 'Flood' };
      await write(socket, websocket(tv, i < 4 ? pad : {}));
      await pause(20);
      await flood(socket, Buffer.alloc(500 * FLOODS[i].length, FLOODS[i]));
    },
  },

  // In the middle of a request, a body, an answer, or the start of a websocket, and of a screen or a phone.
  'reset-storm': {
    name: 'storm of resets and reconnects',
    bounds: { seconds: 4, bytes: 30_000_000 },
    clients: 40,
    items: beginnings,
    async act({ from, open, write, pause }, { i, turn, item }) {
      const socket = await open(from(i));
      await write(socket, item);
      await pause(turn % 3);
      if (turn % 5) socket.resetAndDestroy();
      else socket.destroy();
    },
  },

  slowloris: {
    name: 'slowloris, headers and bodies',
    bounds: { seconds: 8, bytes: 2_000_000 },
    clients: 160,
    items: slowRequests,
    async act({ open, write, pause }, { item: { start, more } }) {
      const socket = await open();
      await write(socket, start);
      while (await write(socket, more)) await pause(50);
      await pause(50);
    },
  },

  'unread-pages': {
    name: 'pages that are never read',
    bounds: { seconds: 5, bytes: 20_000_000 },
    clients: 484,
    async enter({ tv, from, open, write }, i) {
      const [path, requests] = i < 4 ? ['/', 3000] : [FILE, 4]; // a few greedy ones, and many
      const socket = await open(from(i));
      socket.pause();
      await write(socket, request(tv, path, { close: false }).repeat(requests));
    },
  },
};
