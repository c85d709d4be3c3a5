/** Attacks by HTTP requests: forbidden ones, costly ones, and ones that can be read in two ways. */
import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { listAdminRoutes } from '../../support/routes.js';
import { JSON_TYPE, hostLine, postJson, request, textFrame } from '../../support/wire.js';
import { clients, eachOnce, inTurns } from '../support/attacker.js';

const FILE = '/lib/renderer.js';
const BIG = 65_536;
const BURST_BYTES = 20_000_000;
/** The answer to more requests than an address may send. */
const TOO_MANY = /^HTTP\/1.1 429 /;
/** Headers that claim to come from the admin. */
const CLAIMS = [
  '',
  'Authorization: Bearer x\r\n',
  'Authorization: Basic YWRtaW46YWRtaW4=\r\n',
  'Cookie: pitv=1; pitv-admin=1; session=1\r\n',
  'X-Forwarded-For: 127.0.0.1\r\nX-Real-IP: 127.0.0.1\r\n',
];
const ADMIN_BODY = '{"target":"main","kind":"heap","password":"new password"}';
const RANGES = [
  `bytes=${Array.from({ length: 1000 }, (_, i) => `${i}-`).join()}`,
  `bytes=${'0-0,'.repeat(2000)}1-1`,
  'bytes=0-99999999999999999999',
  'bytes=-99999999999999999999',
  'bytes=99999999999-',
  'bytes=5-1',
  'bytes=-0',
  'bytes=0-,0-,0-,0-,0-',
  'lines=1-2',
  `bytes=${'-'.repeat(5000)}`,
];
/** Costly for the TV. */
const COSTLY =
  '/metrics /api/games/bumper/preview /api/games/swarm/preview /api/games/collide/preview /api/games /api/matches ' +
  '/api/admin/session /lib/renderer.js';
const METHODS = 'TRACE TRACK CONNECT OPTIONS PROPFIND PUT PATCH DELETE HEAD get PURGE M-SEARCH X';
const TARGETS = [
  '/',
  '*',
  '/api/matches',
  'tv:80',
  'http://tv/metrics',
  '/metrics',
  '/healthz',
  '',
];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/9.9', '', 'http/1.1'];
const LINES = METHODS.split(' ').flatMap((method) =>
  TARGETS.flatMap((target) => VERSIONS.map((version) => `${method} ${target} ${version}`)),
);
const SECRET = 'sent-by-the-attacker';
/** Lengths of a body that can be read in two ways. */
const LENGTHS = [
  'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n',
  'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n',
  'Content-Length: 0\r\nContent-Length: 40\r\n',
  'Content-Length: 4, 4\r\n',
  'Content-Length: +4\r\n',
  'Content-Length: -1\r\n',
  'Content-Length: 99999999999999999999\r\n',
  'Transfer-Encoding: xchunked\r\n',
  'Transfer-Encoding: chunked, identity\r\n',
  'Transfer-Encoding : chunked\r\n',
  'Transfer-Encoding:\tchunked\r\n X: y\r\n',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n',
  'X: y\nTransfer-Encoding: chunked\r\n',
  'X: y\rContent-Length: 4\r\n',
  '\0Content-Length: 4\r\n',
];
const CHUNKS = [
  '0\r\n\r\n',
  'ffffffffffffffffff\r\n',
  '-1\r\n',
  '4;a=b\r\nbody\r\n0\r\nX: y\r\n\r\n',
];

/** @param {Place} tv @returns {string[]} requests with many or long headers */
function headerBombs(tv) {
  const start = `GET / HTTP/1.1\r\n${hostLine(tv)}`;
  return [
    `${start}${Array.from({ length: 5000 }, (_, i) => `A${i}: b\r\n`).join('')}\r\n`,
    `${start}Cookie: ${'a=b; '.repeat(BIG / 5)}\r\n\r\n`,
    `${start}${'N'.repeat(BIG)}: 1\r\n\r\n`,
    `GET /${'x'.repeat(BIG)} HTTP/1.1\r\n${hostLine(tv)}\r\n`,
    `GET /?${'a=1&'.repeat(BIG / 4)} HTTP/1.1\r\n${hostLine(tv)}\r\n`,
    `${start}Authorization: Bearer ${'x'.repeat(12_000)}\r\n\r\n`,
    `${start}Accept-Encoding: ${'gzip;q=0.1,'.repeat(1000)}\r\n\r\n`,
    `${start}If-None-Match: ${'"x",'.repeat(3000)}\r\n\r\n`,
  ];
}

/** @param {Place} tv @returns {string[]} query strings, cookies and JSON with very many names */
function manyKeys(tv) {
  const names = Array.from({ length: 1500 }, (_, i) => `k${i}`);
  const body = JSON.stringify(Object.fromEntries(names.slice(0, 500).map((name) => [name, 0])));
  return [
    request(tv, `/p?${names.join('=1&')}`),
    request(tv, `/p?a${'[b]'.repeat(2000)}=1`),
    request(tv, `/p?c=1${'&c=1'.repeat(3000)}`),
    request(tv, '/api/admin/session', { headers: `Cookie: ${names.join('=1; ')}\r\n` }),
    postJson(tv, '/api/matches', body),
  ];
}

/** @param {Place} tv @returns {string[]} the first bytes of connections with other protocols */
function otherProtocols(tv) {
  const upgrade = (/** @type {string} */ name, more = '') =>
    `GET /ws HTTP/1.1\r\n${hostLine(tv)}Connection: Upgrade${more}\r\nUpgrade: ${name}\r\n` +
    'HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n';
  const version13 = 'websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ';
  return [
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
    upgrade('h2c', ', HTTP2-Settings'),
    upgrade('TLS/1.0, HTTP/1.1'),
    upgrade('websocket, h2c'),
    upgrade('websocket'),
    upgrade('WebSocket\r\nSec-WebSocket-Version: 99\r\nSec-WebSocket-Key: x'),
    upgrade(version13 + 'a,'.repeat(3000)),
    '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03' + randomBytes(500).toString('latin1'),
    'SSH-2.0-OpenSSH_9.9\r\n',
    '\x10\x0e\0\x04MQTT\x04\x02\0\x3c\0\x02id',
    '\x05\x01\0',
    'PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\nGET / HTTP/1.1\r\n\r\n',
    randomBytes(10_000).toString('latin1'),
  ];
}

const adminRoutes = () => [
  ...listAdminRoutes(),
  { method: 'GET', path: '/api/profiles/..%2f..%2fadmin-token' },
  { method: 'POST', path: '/api/system/reboot' },
];

/** Makes small bodies that become 20 MB. @returns {[string, Buffer][]} encoding and bytes */
function burstingBodies() {
  const zeros = Buffer.alloc(BURST_BYTES, ' ');
  return [
    ['gzip', gzipSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['br', brotliCompressSync(zeros.subarray(0, BURST_BYTES / 10))],
    ['gzip, gzip', gzipSync(gzipSync(zeros))],
  ];
}

/** @typedef {import('../../support/wire.js').Place} Place */

/** @type {Record<string, import('../support/attacker.js').Attack>} */
export default {
  'admin-only': {
    name: "the admin's routes without a password",
    run: inTurns(8, adminRoutes, async (attacker, { method, path }, { i, turn }) => {
      const { tv, from, ask, check } = attacker;
      const body = method === 'POST' ? ADMIN_BODY : '';
      const headers = CLAIMS[turn % CLAIMS.length] + JSON_TYPE;
      const answer = await ask(request(tv, path, { method, headers, body }), from(i));
      const isRefused =
        answer.startsWith('HTTP/1.1 401 ') &&
        (method === 'HEAD' || answer.includes('"PITV_ADMIN_ONLY"'));
      check(answer === '' || TOO_MANY.test(answer) || isRefused, `${method} ${path}`, answer);
    }),
  },

  'code-guesses': {
    name: 'guesses at the join code',
    run: clients(8, async (attacker, { i, turn }) => {
      const { tv, from, ask, upgrade, write, pause, check } = attacker;
      const code = `B${String(turn).padStart(2, '2')}${String(i).padStart(2, '2')}`;
      if (i % 2) {
        const body = JSON.stringify({ game: 'collide', code });
        const answer = await ask(postJson(tv, '/api/matches', body), from(i));
        check(!/^HTTP\/1.1 2/.test(answer), code, answer);
        return;
      }
      const socket = await upgrade(from(i));
      for (let n = 0; n < 20; n++) {
        await write(socket, textFrame({ t: 'hello', role: 'pad', code: code + n }));
      }
      await pause(20);
      socket.destroy();
    }),
  },

  'compressed-bodies': {
    name: 'compressed bodies that burst',
    bounds: { seconds: 3, bytes: 40_000_000 },
    run: inTurns(8, burstingBodies, async ({ tv, ask, check }, [encoding, bytes], { i }) => {
      const headers = `${JSON_TYPE}Content-Encoding: ${encoding}\r\nContent-Length: ${bytes.length}\r\n`;
      const path = i % 2 ? '/api/admin/login' : '/api/matches';
      const answer = await ask(
        request(tv, path, { method: 'POST', headers }) + bytes.toString('latin1'),
      );
      check(answer === '' || /^HTTP\/1.1 4\d\d/.test(answer), encoding, answer);
    }),
  },

  'header-bombs': {
    name: 'header bombs',
    bounds: { seconds: 3, bytes: 40_000_000 },
    run: inTurns(8, headerBombs, async ({ tv, ask, open, flood }, bomb, { i }) => {
      if (i > 0) return ask(bomb);
      const socket = await open();
      socket.write(`GET / HTTP/1.1\r\n${hostLine(tv)}`);
      return flood(socket, `X: ${'y'.repeat(1000)}\r\n`.repeat(100));
    }),
  },

  'login-flood': {
    name: 'flood of logins',
    bounds: { seconds: 4, bytes: 20_000_000 },
    run: clients(32, async ({ tv, from, ask, check }, { i, turn }) => {
      const origin = `Origin: http://${tv.host}:${tv.port}\r\n`;
      const password = turn % 4 ? `guess ${i} ${turn}` : 'x'.repeat(3000);
      const body = JSON.stringify({ password });
      const answer = await ask(postJson(tv, '/api/admin/login', body, origin), from(i));
      check(!/^HTTP\/1.1 2|^set-cookie/im.test(answer), 'a guess was right', answer);
    }),
  },

  'many-keys': {
    name: 'thousands of query parameters, cookies and keys',
    bounds: { seconds: 3, bytes: 30_000_000 },
    run: inTurns(10, manyKeys, async ({ ask }, bomb) => ask(bomb)),
  },

  methods: {
    name: 'odd methods',
    bounds: { seconds: 4, bytes: 10_000_000 },
    run: eachOnce(8, LINES, async ({ tv, ask, check }, line) => {
      const headers = `${hostLine(tv)}X-Secret: ${SECRET}\r\nConnection: close\r\n`;
      const answer = await ask(`${line}\r\n${headers}\r\n`);
      check(!answer.includes(SECRET) && !/^HTTP\/1.1 5/.test(answer), line, answer);
    }),
  },

  'other-protocols': {
    name: 'other protocols on the port',
    run: inTurns(13, otherProtocols, async ({ ask }, bytes) => ask(bytes)),
  },

  ranges: {
    name: 'ranges',
    bounds: { seconds: 3, bytes: 40_000_000 },
    async run(attacker) {
      const { length } = await attacker.ask(request(attacker.tv, FILE));
      const send = inTurns(10, RANGES, async ({ tv, ask, check }, range) => {
        const answer = await ask(request(tv, FILE, { headers: `Range: ${range}\r\n` }));
        check(answer.length <= length + 500, `${answer.length} bytes for ${range.slice(0, 50)}`);
      });
      await send(attacker);
    },
  },

  scraping: {
    name: 'scraping of metrics and previews',
    bounds: { seconds: 4, bytes: 300_000_000 },
    run: inTurns(48, COSTLY.split(' '), async ({ tv, from, ask }, path, { i }) =>
      ask(request(tv, path, { headers: 'Accept-Encoding: gzip, br\r\n' }), from(i)),
    ),
  },

  smuggling: {
    name: 'request smuggling',
    bounds: { seconds: 3, bytes: 10_000_000 },
    run: inTurns(8, LENGTHS, async ({ tv, ask, check }, length, { turn }) => {
      const hidden = `GET /healthz HTTP/1.1\r\n${hostLine(tv)}X-Hidden: 1\r\n\r\n`;
      const head = `POST /api/matches HTTP/1.1\r\n${hostLine(tv)}Connection: close\r\n${length}\r\n`;
      const answer = await ask(head + CHUNKS[turn % CHUNKS.length] + hidden);
      check(!answer.includes('"uptimeS"'), `${JSON.stringify(length)}: a hidden request`, answer);
    }),
  },
};
