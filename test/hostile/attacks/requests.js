/** Attacks by costly HTTP requests. */
import { hostLine, postJson, request } from '../../support/wire.js';

const BIG = 65_536;
/** Costly for the TV. */
const COSTLY =
  '/metrics /api/games/bumper/preview /api/games/swarm/preview /api/games/collide/preview /api/games /api/matches ' +
  '/api/admin/session /lib/renderer.js';

/** @param {Place} tv @returns {string[]} requests with many or long headers, query parameters, cookies and keys */
function requestBombs(tv) {
  const start = `GET / HTTP/1.1\r\n${hostLine(tv)}`;
  const names = Array.from({ length: 1500 }, (_, i) => `k${i}`);
  const body = JSON.stringify(Object.fromEntries(names.slice(0, 500).map((name) => [name, 0])));
  return [
    `${start}${Array.from({ length: 5000 }, (_, i) => `A${i}: b\r\n`).join('')}\r\n`,
    `${start}Cookie: ${'a=b; '.repeat(BIG / 5)}\r\n\r\n`,
    `${start}${'N'.repeat(BIG)}: 1\r\n\r\n`,
    `GET /${'x'.repeat(BIG)} HTTP/1.1\r\n${hostLine(tv)}\r\n`,
    `${start}Authorization: Bearer ${'x'.repeat(12_000)}\r\n\r\n`,
    `${start}Accept-Encoding: ${'gzip;q=0.1,'.repeat(1000)}\r\n\r\n`,
    `${start}If-None-Match: ${'"x",'.repeat(3000)}\r\n\r\n`,
    `GET /lib/renderer.js HTTP/1.1\r\n${hostLine(tv)}Range: bytes=${'0-,'.repeat(3000)}0-\r\n\r\n`,
    request(tv, `/p?${names.join('=1&')}`),
    request(tv, `/p?a${'[b]'.repeat(2000)}=1`),
    request(tv, `/p?c=1${'&c=1'.repeat(3000)}`),
    request(tv, '/api/admin/session', { headers: `Cookie: ${names.join('=1; ')}\r\n` }),
    postJson(tv, '/api/matches', body),
  ];
}

/** @typedef {import('../../support/wire.js').Place} Place */

/** @type {Record<string, import('../support/attacker.js').Attack>} */
export default {
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
};
