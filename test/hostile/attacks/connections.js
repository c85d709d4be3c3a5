/** Attacks by connections: slow, idle, unread, half-closed, reset ones, and too many of them. */
import { hostLine, request, textFrame, upgradeRequest } from '../../support/wire.js';
import { clients, inTurns, staying } from '../support/attacker.js';

const FILE = '/lib/renderer.js';
/** Connections of an attack with slow requests. */
const SLOW = 128;
const BODY_ROUTES = ['/api/matches', '/api/admin/login', '/api/admin/password'];
/** Clients that never read what they ask for: a few greedy ones, and many on connections with a small window. */
const UNREAD = [
  { sockets: 4, requests: 3000, path: '/' },
  { sockets: 480, requests: 4, path: FILE },
];
/** Idle connections; the states take turns. */
const IDLE = 72;
const EXPECTATIONS = ['100-continue', '100-continue, 100-continue', 'more', '\t100-CONTINUE'];

/** @param {Place} tv */
const beginOfBody = (tv) =>
  `POST /api/matches HTTP/1.1\r\n${hostLine(tv)}Content-Length: 9\r\n\r\n{`;

/** @param {Place} tv @returns {string[]} what idle connections have sent */
function idleStates(tv) {
  const page = request(tv, FILE, { close: false });
  const hello = textFrame({ t: 'hello', role: 'screen' }).toString('latin1');
  return [
    '',
    'GET',
    `GET / HTTP/1.1\r\n${hostLine(tv)}`,
    beginOfBody(tv),
    page,
    page.repeat(2000),
    upgradeRequest(tv),
    upgradeRequest(tv) + hello,
    upgradeRequest(tv, { path: '/nope' }),
  ];
}

/** @param {Place} tv @returns {string[]} */
const beginnings = (tv) => [
  'GE',
  request(tv, FILE),
  beginOfBody(tv),
  upgradeRequest(tv),
  request(tv, '/metrics'),
];

/** @typedef {import('../../support/wire.js').Place} Place */

/** @type {Record<string, import('../support/attacker.js').Attack>} */
export default {
  // The request asks whether the client may send a body, and no body or a huge one follows.
  'expect-continue': {
    name: 'storm of Expect: 100-continue',
    run: inTurns(40, EXPECTATIONS, async (attacker, expect, { turn }) => {
      const { tv, open, write, pause } = attacker;
      const socket = await open();
      socket.resume();
      const head = `POST /api/matches HTTP/1.1\r\n${hostLine(tv)}Expect: ${expect}\r\n`;
      const type = 'Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n';
      await write(socket, (head + type).repeat(1 + (turn % 3)));
      if (turn % 2) await write(socket, 'x'.repeat(50_000));
      await pause(30);
      socket.destroy();
    }),
  },

  'half-closed': {
    name: 'half-closed sockets',
    run: clients(60, async ({ tv, open, pause }) => {
      const socket = await open({ allowHalfOpen: true });
      socket.pause();
      socket.end(request(tv, FILE, { close: false }));
      await pause(100);
      socket.destroy();
    }),
  },

  // The client never closes these connections: the TV closes each of them.
  'idle-connections': {
    name: 'idle connections',
    slow: true,
    holds: true,
    recoveryMs: 40_000, // a whole request may take 30 s, and the TV looks every 2 s
    bounds: { seconds: 4, bytes: 20_000_000 },
    run: staying(IDLE, async ({ tv, open }, i) => {
      const states = idleStates(tv);
      const socket = await open({ allowHalfOpen: true });
      if (i % 2) socket.pause();
      else socket.resume();
      socket.write(states[i % states.length], 'latin1');
    }),
  },

  // The answer is read, more bytes are sent, and half of the connection is closed.
  'refused-upgrades': {
    name: 'refused upgrades that are half closed',
    bounds: { seconds: 3, bytes: 2_000_000 },
    async run({ tv, addresses, crowd, open }) {
      const upgrade = `GET /nope HTTP/1.1\r\n${hostLine(tv)}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
      for (const address of addresses) {
        await crowd(120, async () => {
          const socket = await open({ address, allowHalfOpen: true });
          socket.write(upgrade);
          await new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
          socket.end('more');
        });
      }
    },
  },

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

  // More connections than an address may have. Refused ones are tried again.
  'silent-sockets': {
    name: 'half-open connections that say nothing',
    bounds: { seconds: 4, bytes: 1_000_000 },
    run: clients(200, async ({ open, pause, signal }) => {
      const socket = await open();
      while (!socket.destroyed && !signal.aborted) await pause(50);
    }),
  },

  'slowloris-headers': {
    name: 'slowloris, headers',
    bounds: { seconds: 8, bytes: 2_000_000 },
    run: ({ tv, crowd, open, write, pause }) =>
      crowd(SLOW, async () => {
        const socket = await open();
        await write(socket, `GET / HTTP/1.1\r\n${hostLine(tv)}`);
        while (await write(socket, 'X-Slow: 1\r\n')) await pause(50);
      }),
  },

  // A byte at a time, to every route that reads a body.
  'slowloris-body': {
    name: 'slowloris, bodies',
    bounds: { seconds: 8, bytes: 2_000_000 },
    run: ({ tv, crowd, open, write, pause }) =>
      crowd(SLOW, async (i) => {
        const socket = await open();
        const head = `POST ${BODY_ROUTES[i % BODY_ROUTES.length]} HTTP/1.1\r\n${hostLine(tv)}`;
        const type = 'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n';
        await write(socket, head + type);
        while (await write(socket, ' ')) await pause(50);
      }),
  },

  'tiny-segments': {
    name: 'segments of one byte',
    bounds: { seconds: 3, bytes: 5_000_000 },
    run: clients(16, async ({ tv, open, upgrade, write }, { i }) => {
      const socket = await (i % 2 ? upgrade() : open());
      socket.setNoDelay(true);
      socket.resume();
      const bytes =
        i % 2
          ? textFrame({ t: 'hello', role: 'screen' })
          : Buffer.from(request(tv, '/', { close: false }));
      for (const byte of bytes) if (!(await write(socket, Buffer.from([byte])))) break;
      socket.destroy();
    }),
  },

  'unread-pages': {
    name: 'pages that are never read',
    bounds: { seconds: 5, bytes: 20_000_000 },
    async run({ tv, from, crowd, open, write, over }) {
      await Promise.all(
        UNREAD.map(({ sockets, requests, path }) =>
          crowd(sockets, async (i) => {
            const socket = await open(from(i));
            socket.pause();
            await write(socket, request(tv, path, { close: false }).repeat(requests));
          }),
        ),
      );
      await over();
    },
  },
};
