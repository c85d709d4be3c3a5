/** Tests that hostile messages and requests are refused and counted, and do not disturb a running match. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { decodeFrame } from '../support/decode-frame.js';
import { openScope } from '../support/polling.js';
import { Client, openRoom, until } from '../support/tv.js';
import { OPCODE, exchange, frame, goodbye, upgradeRequest } from '../support/wire.js';
import { dropped } from './refusals.js';

/** Sends bytes until the TV closes. @param {import('../../app/tv.js').Tv} tv @param {(string | Buffer)[]} parts */
const raw = async (tv, ...parts) =>
  (
    await exchange(tv.port, Buffer.concat(parts.map((part) => Buffer.from(part))), { end: false })
  ).toString('latin1');

describe('a TV with a running match', () => {
  /** @type {import('../../app/tv.js').Tv} */
  let tv;
  /** @type {Client} */
  let screen;
  /** @type {Client} */
  let ann;
  const scope = openScope();

  before(async () => {
    [tv, screen, ann] = await openRoom(scope, ['Ann']);
    await ann.start('faulty');
    await screen.moreFrames(1);
  });
  after(() => scope.close());

  /** Asserts that the match is still running without a restart, and that Ann still plays. */
  async function unharmed() {
    const [match] = tv.lobby.matches;
    assert.equal(match.restarts, 0);
    const x = 1 + Math.floor(Math.random() * 100);
    ann.input(x, -x);
    await screen.until(() => {
      const { bodies } = decodeFrame(/** @type {Buffer} */ (screen.frame));
      return bodies.x[0] === x && bodies.y[0] === -x;
    }, "Ann's input on the screen");
  }

  test('random bytes are dropped, as text and as binary, before and after the hello', async () => {
    const strangers = [await Client.connect(tv), await Client.pad(tv), await Client.screen(tv)];
    for (const client of strangers) {
      for (let i = 0; i < 20; i++) {
        client.socket.send(randomBytes(1 + i * 7));
        client.socket.send(randomBytes(1 + i * 7).toString('latin1'));
      }
      client.socket.send('');
      client.socket.send(Buffer.alloc(0));
    }
    await until(async () => (await dropped(tv, 'bad-message')) > 20, 'the count of bad messages');
    assert.ok((await dropped(tv, 'bad-input')) > 0);
    assert.ok((await dropped(tv, 'binary-from-screen')) > 0);
    assert.ok((await dropped(tv, 'before-hello')) > 0);
    await unharmed();
    for (const client of strangers) client.vanish();
  });

  test('messages of the wrong shape are answered with an error', async () => {
    const pad = await Client.pad(tv);
    const odd = [
      { t: 'start' },
      { t: 'start', game: { id: 'faulty' } },
      { t: 'start', game: '__proto__' },
      { t: 'join', match: 'x' },
      { t: 'join', match: 999_999 },
      { t: 'join' },
      { t: 'stop', match: 1 },
      { t: 'toString' },
      { t: 'hello', role: 'pad', code: tv.code },
    ];
    for (const message of odd) {
      pad.send(message);
      const { code } = await pad.next('error');
      assert.match(code, /^PITV_(GAME_UNKNOWN|MATCH_UNKNOWN|MESSAGE_INVALID|NOT_YOURS)$/);
    }
    pad.send({ t: 'name', name: { toString: 1 } });
    pad.send({ t: 'name', name: '\u0000\u202e<img src=x>' + 'x'.repeat(3000) });
    await pad.settle();
    const [, player] = tv.lobby.players.all.slice(-2);
    assert.equal(player.name, '<img src=x>xxx');
    pad.vanish();
    const watcher = await Client.screen(tv);
    for (const message of [
      { t: 'watch', match: 'abc' },
      { t: 'watch', match: {} },
      { t: 'watch', match: -1 },
      { t: 'stop' },
      { t: 'start', game: 'faulty', options: { seed: 'x' } },
      { t: 'start', game: 'faulty', options: [] },
      { t: 'start', game: 'faulty', options: { __proto__: null, constructor: 1 } },
      { t: 'join', match: 1 },
    ]) {
      watcher.send(message);
      await watcher.next('error');
    }
    watcher.vanish();
    await unharmed();
  });

  test('a frame that is too large closes its connection', async () => {
    const client = await Client.pad(tv);
    client.socket.send(Buffer.alloc(1024 * 1024));
    assert.equal((await client.whenClosed()).code, 1009);
    const text = await Client.connect(tv);
    text.socket.send('x'.repeat(5000));
    assert.equal((await text.whenClosed()).code, 1009);
    await unharmed();
  });

  test('a violation of the websocket protocol closes the connection', async () => {
    const unmasked = frame(OPCODE.text, 'hi', { masked: false });
    assert.match(await raw(tv, upgradeRequest(tv), unmasked), /^HTTP\/1.1 101/);
    for (const bytes of [
      frame(OPCODE.text, Buffer.from([0xff, 0xfe])),
      frame(OPCODE.ping, 'x'.repeat(200)),
      frame(OPCODE.continuation, 'x'),
      frame(OPCODE.text, 'x', { reserved: 4 }), // compressed, but the TV agrees to no compression
      randomBytes(5000),
    ]) {
      const headers = 'Sec-WebSocket-Extensions: permessage-deflate\r\n';
      const answer = await raw(tv, upgradeRequest(tv, { headers }), bytes);
      assert.doesNotMatch(answer, /^sec-websocket-extensions/im);
    }
    assert.ok((await dropped(tv, 'protocol')) >= 5);
    await unharmed();
  });

  test('malformed requests are refused', async () => {
    assert.match(await raw(tv, 'HELO x\r\n\r\n'), /^HTTP\/1.1 400/);
    await raw(tv, randomBytes(10_000));
    const large = `GET / HTTP/1.1\r\nA: ${'x'.repeat(100_000)}\r\n\r\n`;
    assert.match(await raw(tv, large), /^HTTP\/1.1 431/);
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const odd = `GET /ws HTTP/1.1\r\nHost: [\r\nOrigin: http://x\r\n${upgrade}`;
    assert.match(await raw(tv, odd), /^HTTP\/1.1 403/);
    assert.equal(await dropped(tv, 'connection-origin'), 1);
    const other = `GET /other HTTP/1.1\r\nHost: x\r\n${upgrade}`;
    assert.match(await raw(tv, other), /^HTTP\/1.1 404/);
    await unharmed();
  });

  test('a request without one host, or with two credentials or origins, is refused', async () => {
    const own = `Host: 127.0.0.1:${tv.port}`;
    const [, , ...upgrade] = upgradeRequest(tv).trimEnd().split('\r\n');
    const http2 = [
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABk',
    ];
    /** @type {[string, number, string | Buffer, ...string[]][]} */
    const paths = [
      ['/healthz', 200, '', 'Connection: close'],
      ['/healthz', 200, '', ...http2], // curl and Java offer HTTP/2, and take what is there
      ['/ws', 101, goodbye, ...upgrade],
    ];
    for (const [path, accepted, end, ...lines] of paths) {
      const ask = async (/** @type {string[]} */ ...more) => {
        const head = [`GET ${path} HTTP/1.1`, ...more, ...lines, '\r\n'].join('\r\n');
        return Number(/^HTTP\/1.1 (\d+)/.exec(await raw(tv, head, end))?.[1]);
      };
      assert.equal(await ask(own), accepted);
      for (const more of [
        [],
        [own, own],
        [own, 'hOsT: evil.example'],
        ['Host: evil.example', own],
        [own, `Origin: ${tv.url}`, `Origin: ${tv.url}`],
        [own, 'Authorization: Bearer x', `Authorization: Bearer ${tv.admin.token}`],
        [own, 'Content-Type: text/plain', 'Content-Type: application/json'],
        [own, 'Content-Length: 0', 'Content-Length: 0'],
        [own, 'Content-Length: 0', 'Transfer-Encoding: chunked'],
        [own, 'Content-Length: +4'],
        [own, 'Transfer-Encoding: chunked, identity'],
        [own, 'X: y\nTransfer-Encoding: chunked'],
      ]) {
        assert.equal(await ask(...more), 400, `${path} ${more.join(', ')}`);
      }
    }
    await unharmed();
  });

  test('a flood of inputs reaches the worker at a limited rate', async () => {
    const flood = await Client.pad(tv);
    flood.send({ t: 'join', match: tv.lobby.matches[0].id });
    await flood.next('match');
    const from = tv.server.measurements().latency.count;
    for (let i = 0; i < 300; i++) flood.input(i % 127, 0);
    await flood.settle();
    const taken = tv.server.measurements().latency.count - from;
    assert.ok(taken <= 200, `${taken} inputs reached the worker`);
    assert.ok((await dropped(tv, 'input-flood')) >= 100);
    await screen.until(
      () => decodeFrame(/** @type {Buffer} */ (screen.frame)).bodies.x[1] === 299 % 127,
      'the last input: a released stick does not stay pushed',
    );
    flood.send({ t: 'leave' });
    await flood.settle();
    flood.vanish();
    await unharmed();
  });

  test('a client that keeps flooding is disconnected', async () => {
    const flood = await Client.pad(tv);
    const wave = setInterval(() => {
      for (let i = 0; i < 200 && flood.socket.readyState === 1; i++) flood.send({ t: 'ping' });
    }, 5);
    const { code } = await flood.whenClosed();
    clearInterval(wave);
    assert.equal(code, 1008);
    assert.equal(await dropped(tv, 'thrown-out'), 1);
    await unharmed();
  });
});
