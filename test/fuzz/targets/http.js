/** Raw bytes to the port of a real TV. An input is one connection with up to three requests. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { edited, oddValue, randomBytes, weighted } from '../support/arbitraries.js';
import { Play } from '../support/play.js';
import { listRoutes } from '../../support/routes.js';
import { exchange, strangerAddress } from '../../support/wire.js';

const CONNECTIONS = 32;
/** Statuses of a refusal. Any other status from 500 is an error of the server. */
const REFUSED = [501, 503, 505, 507];
const HOST = 'HOST'; // replaced by the address when the port is known

const METHODS = 'GET GET GET HEAD POST POST DELETE PUT OPTIONS PATCH TRACE CONNECT'.split(' ');
const PATHS =
  '/ /pad /admin /p?c=%24 /game/frame.js /ws /ws?x * // /% /api/games/endless /api/matches/1 ' +
  '/api/matches/1/replay /../../etc/passwd /api/profiles/..%2f..%2fadmin-token /screen/%00.js ' +
  '/__proto__ /screen/index.html?%zz';
const path = fc.constantFrom(...PATHS.split(' '), ...listRoutes().map((route) => route.path));
/** Ways out of the folders of pages and profiles, in every spelling. */
const way = fc
  .tuple(
    fc.constantFrom('/', '/lib/', '/screen/', '/api/profiles/', '/api/games/'),
    fc.constantFrom('..', '%2e%2e', '.%2e', '%252e%252e', '..%00', '..;', '%c0%ae%c0%ae'),
    fc.constantFrom('/', '%2f', '\\', '%5c', '%252f', '//'),
    fc.constantFrom(3, 8),
    fc.constantFrom('etc/passwd', 'package.json', 'proc/self/environ', 'admin-token'),
  )
  .map(([start, up, slash, depth, goal]) => start + (up + slash).repeat(depth) + goal);
const header = fc.constantFrom(
  'Origin: http://evil.example',
  'Origin: null',
  `Origin: http://${HOST}`,
  'Cookie: pitv_0=a.b.c',
  'Authorization: Bearer x',
  'Authorization: Basic eDp5',
  'Range: bytes=0-,5-9,-1',
  'Range: bytes=9-1',
  'Content-Type: application/json',
  'Content-Type: text/plain',
  'Content-Encoding: gzip',
  'Transfer-Encoding: chunked',
  'Content-Length: 5',
  'Content-Length: 99999',
  'Expect: 100-continue',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: x',
  'If-None-Match: *',
  'If-Modified-Since: x',
  'Accept-Encoding: gzip, br;q=0',
  'X-Forwarded-For: 1.2.3.4',
  'Host: evil.example',
  ': ',
  'X:',
  'Connection: close',
  'Accept-Encoding: deflate',
);
const body = fc.oneof(
  fc.constantFrom(
    '',
    '{"game":"endless","code":"BCDFH"}',
    '{"password":"12345678","__proto__":{"admin":true}}',
    '{"game":"endless","options":{"constructor":{"prototype":{"polluted":true}}}}',
    '{',
    '[]',
    'null',
  ),
  fc.constantFrom('5\r\nhello\r\n0\r\n\r\n', 'ffffffff\r\n', '-1\r\n'),
  oddValue.map((value) => JSON.stringify(value)),
);
const request = fc
  .record({
    method: fc.constantFrom(...METHODS),
    path: weighted([5, path], [1, way], [1, fc.webPath()]),
    version: fc.constantFrom('1.1', '1.1', '1.1', '1.0', '2.0'),
    headers: fc.array(header, { maxLength: 6 }),
    sized: fc.boolean(),
    body,
  })
  .map(({ method, path, version, headers, sized, body }) => {
    const lines = [`Host: ${HOST}`, ...headers];
    if (sized) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
    return Buffer.from(`${method} ${path} HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  });

const several = fc.array(edited(request), { minLength: 2, maxLength: 3 });

/** @param {Buffer} answer everything that came back on one connection */
function checkAnswer(answer) {
  const text = answer.toString('latin1');
  if (text === '') return; // ended without an answer
  assert.match(text, /^HTTP\/1\.1 \d{3} /);
  for (const [, code] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
    const status = Number(code);
    assert.ok(status < 500 || REFUSED.includes(status), text.slice(0, 600));
    assert.notEqual(status, 201, 'something was made');
    assert.notEqual(status, 101, 'a websocket without its headers');
  }
  assert.doesNotMatch(text, /root:x:0|"dependencies"|PATH=|node:internal|\/app\/server\//);
}

/** @type {import('../run-target.js').Target<Buffer>} */
export default {
  batch: CONNECTIONS,
  input: weighted(
    [5, request],
    [3, edited(request)],
    [1, several.map((some) => Buffer.concat(some))],
    [1, randomBytes(400)],
  ),
  open: () =>
    Play.openHarness(async (play) => {
      const { port } = play.tv;
      let sent = 0;
      /** @param {Buffer} bytes */
      const send = (bytes) => {
        const text = bytes.toString('latin1').replaceAll(HOST, `127.0.0.1:${port}`);
        const localAddress = strangerAddress(sent++);
        return exchange(port, Buffer.from(text, 'latin1'), { localAddress });
      };
      return async (inputs) => {
        const answers = await Promise.all(inputs.map(send));
        answers.forEach(checkAnswer);
        play.unharmed();
      };
    }),
};
