/** The attacks: by connections, by HTTP requests, and by screens and pads that use the TV without measure. */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { MAGIC, VERSION } from '../../app/udp/datagram.js';
import {
  OPCODE,
  frame,
  hostLine,
  postJson,
  request,
  textFrame,
  upgradeRequest,
} from '../support/wire.js';
import { CHUNKS, LENGTHS, compressionBombs, requestBombs } from './bombs.js';

/** @typedef {import('../support/wire.js').Place} Place */

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

/** Costly for the TV. */
const COSTLY =
  '/metrics /api/games/bumper/preview /api/games/swarm/preview /api/games/collide/preview /api/games /api/matches ' +
  '/api/admin/session /lib/renderer.js';

const GAMES = ['collide', 'swarm', 'bumper', 'nope'];
/** Datagrams at once. */
const BURST = 100;
/** Headers of IP and UDP, bytes. */
const HEADERS = 28;
/** Names that are long to show or to cut: letters of many bytes, accents without end, a family of hundreds. */
const NAMES = ['名', 'é\u{1f600}', 'a' + '\u0301'.repeat(500), '\u{1f468}\u200d'.repeat(100)];

/** Tells whether a match has started. @param {{t: string}} message to a phone or a screen */
const isStart = ({ t }) => t === 'match' || t === 'watch';

/** Makes datagrams of rubbish. The first one begins like a right one. */
function makeJunk() {
  const junk = [32, 32, 31, 1400, 0, 9000].map((length) => randomBytes(length));
  junk[0].set([MAGIC, VERSION]);
  return junk;
}

/** By key. @type {Record<string, import('./attacker.js').Attack>} */
export const ATTACKS = {
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

  'header-bombs': {
    name: 'bombs of headers, query parameters, cookies and keys',
    bounds: { seconds: 3, bytes: 40_000_000 },
    clients: 14,
    items: requestBombs,
    async act({ tv, ask, open, flood }, { i, item }) {
      if (i > 0) return ask(item);
      const socket = await open();
      socket.write(`GET / HTTP/1.1\r\n${hostLine(tv)}`);
      return flood(socket, `X: ${'y'.repeat(1000)}\r\n`.repeat(100));
    },
  },

  'compression-bombs': {
    name: 'compressed bodies and websocket frames that burst',
    bounds: { seconds: 3, bytes: 40_000_000 },
    clients: 10,
    items: compressionBombs,
    async act({ ask, check }, { item }) {
      const answer = await ask(item);
      const isTaken = /^HTTP\/1.1 2|^sec-websocket-extensions/im.test(answer);
      check(!isTaken, 'the TV takes what is compressed', answer);
    },
  },

  smuggling: {
    name: 'request smuggling',
    bounds: { seconds: 3, bytes: 10_000_000 },
    clients: 8,
    items: () => LENGTHS,
    async act({ tv, ask, check }, { item, turn }) {
      const hidden = `GET /healthz HTTP/1.1\r\n${hostLine(tv)}X-Hidden: 1\r\n\r\n`;
      const start = `POST /api/matches HTTP/1.1\r\n${hostLine(tv)}Connection: close\r\n${item}\r\n`;
      const answer = await ask(start + CHUNKS[turn % CHUNKS.length] + hidden);
      check(!answer.includes('"uptimeS"'), `${JSON.stringify(item)}: a hidden request`, answer);
    },
  },

  'login-flood': {
    name: 'flood of logins',
    bounds: { seconds: 4, bytes: 20_000_000 },
    clients: 32,
    async act({ tv, from, ask, check }, { i, turn }) {
      const origin = `Origin: ${tv.url}\r\n`;
      const password = turn % 4 ? `guess ${i} ${turn}` : 'x'.repeat(3000);
      const body = JSON.stringify({ password });
      const answer = await ask(postJson(tv, '/api/admin/login', body, origin), from(i));
      check(!/^HTTP\/1.1 2|^set-cookie/im.test(answer), 'a guess was right', answer);
    },
  },

  scraping: {
    name: 'scraping of metrics and previews',
    bounds: { seconds: 4, bytes: 300_000_000 },
    clients: 48,
    items: () => COSTLY.split(' '),
    act: ({ tv, from, ask }, { i, item }) =>
      ask(request(tv, item, { headers: 'Accept-Encoding: gzip, br\r\n' }), from(i)),
  },

  'many-tabs': {
    name: 'sixty tabs of one computer',
    bounds: { seconds: 4, bytes: 100_000_000 },
    clients: 60,
    enter: ({ screen }) => screen(),
  },

  'match-storm': {
    name: 'storm of matches started and stopped',
    bounds: { seconds: 4, bytes: 30_000_000 },
    recoveryMs: 10_000, // see LIMITS of game.js
    clients: 4,
    items: () => GAMES,
    enter: ({ screen, phone }, i) => (i % 2 ? phone('Storm') : screen()),
    async act({ pause, check }, { own, item }) {
      own.send({ t: 'start', game: item });
      await pause(60);
      const { match } = own.messages.findLast(isStart) ?? {};
      own.send({ t: 'stop', match });
      await pause(60);
      own.messages.length = 0;
      check(!own.closed, 'the TV closed a connection');
    },
  },

  // The TV reports each name to every screen and phone.
  'name-churn': {
    name: 'names that change all the time',
    bounds: { seconds: 4, bytes: 100_000_000 },
    clients: 24,
    items: () => NAMES,
    enter: ({ from, phone }, i) => phone(`N${i}`, from(i)),
    async act({ pause }, { own, item, turn }) {
      own.send({ t: 'name', name: `${item}${turn}` });
      await pause(100);
    },
  },

  'udp-flood': {
    name: 'flood of datagrams',
    bounds: { seconds: 4, bytes: 60_000_000 },
    clients: 1,
    items: makeJunk,
    async enter({ address, phone }) {
      const pad = await phone('Udo');
      pad.send({ t: 'udp' });
      const { port } = await pad.next('udp');
      const socket = createSocket('udp4').bind(0, address);
      await once(socket, 'listening');
      return (/** @type {Buffer} */ bytes) =>
        new Promise((resolve) => socket.send(bytes, port, '127.0.0.1', resolve));
    },
    async act({ spend }, { own: send, item }) {
      await Promise.all(Array.from({ length: BURST }, () => send(item)));
      spend(BURST * (item.length + HEADERS));
    },
  },

  'unread-frames': {
    name: 'frames that are never read',
    bounds: { seconds: 5, bytes: 20_000_000 },
    clients: 60,
    async enter({ screen }) {
      const each = await screen();
      const { matches } = await each.wait('lobby');
      each.socket.pause();
      for (const { id } of matches) each.send({ t: 'watch', match: id });
    },
  },
};
