import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { BACKOFF, backoffMs } from '../../app/web/lib/backoff.js';
import { Connection, linkMark } from '../../app/web/lib/connection.js';

/**
 * A server that welcomes whoever says hello, and a page's connection to it.
 * @param {import('node:test').TestContext} t
 * @param {object} [options]
 * @param {boolean} [options.answers] whether it answers at all
 * @param {Partial<import('../../app/web/lib/connection.js').ConnectionOptions>} [options.connection]
 */
async function setUp(t, { answers = true, connection: more = {} } = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  /** @type {any[]} */
  const heard = [];
  /** @type {import('ws').WebSocket[]} */
  const sockets = [];
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('message', (data, isBinary) => {
      const message = isBinary ? data : JSON.parse(String(data));
      heard.push(message);
      server.emit('heard', message);
      if (!answers || isBinary) return;
      if (message.t === 'hello') socket.send(JSON.stringify({ t: 'welcome', n: sockets.length }));
      if (message.t === 'ping') socket.send(JSON.stringify({ t: 'pong', at: message.at }));
    });
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  /** @type {any[]} */
  const messages = [];
  /** @type {string[]} */
  const states = [];
  const waiters = new Set();
  const check = () => waiters.forEach((waiter) => waiter());
  const connection = new Connection({
    url: `ws://127.0.0.1:${port}`,
    WebSocket,
    hello: () => ({ t: 'hello', role: 'pad' }),
    onMessage(message) {
      messages.push(message);
      check();
    },
    onState(state) {
      states.push(state);
      check();
    },
    backoff: { firstMs: 5, maxMs: 20 },
    ...more,
  });
  /** @param {() => unknown} condition @returns {Promise<void>} */
  const until = (condition) =>
    new Promise((resolve) => {
      const look = () => {
        if (!condition()) return;
        waiters.delete(look);
        resolve();
      };
      waiters.add(look);
      look();
    });
  server.on('heard', check);
  t.after(() => {
    connection.close();
    for (const socket of sockets) socket.terminate();
    server.close();
  });
  return { server, sockets, heard, messages, states, connection, until };
}

test('greets first, and is open when it is welcome', async (t) => {
  const { connection, heard, messages, states, until } = await setUp(t);
  connection.open();
  await until(() => connection.state === 'open');
  assert.deepEqual(heard[0], { t: 'hello', role: 'pad' });
  assert.equal(messages[0].t, 'welcome');
  assert.deepEqual(states.slice(0, 2), ['connecting', 'open']);
});

test('measures the round trip', async (t) => {
  const { connection, until } = await setUp(t);
  connection.open();
  await until(() => connection.rttMs >= 0);
  assert.equal(linkMark(connection.state, connection.rttMs).text.endsWith(' ms'), true);
});

test('comes back after the line broke, and greets again', async (t) => {
  const { connection, heard, sockets, states, until } = await setUp(t);
  connection.open();
  await until(() => connection.state === 'open');
  sockets[0].terminate();
  await until(() => connection.state === 'open' && sockets.length === 2);
  assert.ok(states.includes('waiting'));
  assert.equal(heard.filter(({ t: type }) => type === 'hello').length, 2);
  assert.equal(connection.attempts, 0, 'a welcome ends the counting');
});

test('keeps trying while nobody listens', async (t) => {
  const { connection, server, sockets, until } = await setUp(t);
  connection.open();
  await until(() => connection.state === 'open');
  server.close();
  sockets[0].terminate();
  await until(() => connection.attempts >= 3);
  assert.notEqual(connection.state, 'open');
  assert.ok(Number.isNaN(connection.rttMs));
});

test('gives a line up that says nothing', async (t) => {
  const { connection, sockets, until } = await setUp(t, {
    answers: false,
    connection: { pingMs: 5, silenceMs: 20 },
  });
  connection.open();
  await until(() => sockets.length >= 2 || connection.attempts > 0);
  assert.ok(connection.attempts > 0);
});

test('answers the server when it pings', async (t) => {
  const { connection, heard, sockets, until } = await setUp(t);
  connection.open();
  await until(() => connection.state === 'open');
  sockets[0].send(JSON.stringify({ t: 'ping', at: 42 }));
  await until(() => heard.some((message) => message.t === 'pong' && message.at === 42));
});

test('a page that was replaced or removed does not connect again', async (t) => {
  for (const [code, reason] of /** @type {const} */ ([
    [4000, 'replaced'],
    [4002, 'removed'],
  ])) {
    /** @type {string | undefined} */
    let dismissed;
    const { connection, sockets, until } = await setUp(t, {
      connection: { onDismissed: (why) => (dismissed = why) },
    });
    connection.open();
    await until(() => connection.state === 'open');
    sockets[0].close(code, 'elsewhere');
    await until(() => connection.state === 'closed');
    assert.equal(dismissed, reason);
    assert.equal(sockets.length, 1);
  }
});

test('frames come as array buffers, bytes go as they are', async (t) => {
  /** @type {ArrayBuffer[]} */
  const frames = [];
  const { connection, heard, server, sockets, until } = await setUp(t, {
    connection: { onFrame: (frame) => frames.push(frame) },
  });
  assert.equal(connection.sendBytes(Uint8Array.of(1)), false, 'there is no line yet');
  connection.open();
  await until(() => connection.state === 'open');
  sockets[0].send(Uint8Array.of(5, 6, 7));
  sockets[0].send('{"t":"notice"}');
  assert.equal(connection.sendBytes(Uint8Array.of(1, 2, 3)), true);
  await once(server, 'heard');
  await until(() => frames.length === 1 && heard.some((message) => Buffer.isBuffer(message)));
  assert.deepEqual([...new Uint8Array(frames[0])], [5, 6, 7]);
});

test('text that is no message is ignored', async (t) => {
  const { connection, messages, sockets, until } = await setUp(t);
  connection.open();
  await until(() => connection.state === 'open');
  for (const text of ['', '{', 'null', '7', '{"t":"notice"}']) sockets[0].send(text);
  await until(() => messages.some(({ t: type }) => type === 'notice'));
  assert.equal(messages.length, 2);
});

test('reopen greets anew at once, close ends it', async (t) => {
  const { connection, sockets, until } = await setUp(t);
  connection.open();
  await until(() => connection.state === 'open');
  connection.reopen();
  await until(() => connection.state === 'open' && sockets.length === 2);
  connection.close();
  assert.equal(connection.state, 'closed');
  assert.equal(connection.send({ t: 'ping' }), false);
});

test('waits double, half of it by chance, and never longer than the limit', () => {
  for (let attempt = 0; attempt < 40; attempt++) {
    const step = Math.min(BACKOFF.maxMs, BACKOFF.firstMs * 2 ** attempt);
    assert.equal(backoffMs(attempt, { random: () => 0 }), step / 2);
    assert.ok(backoffMs(attempt, { random: () => 0.999999 }) <= step);
  }
});

test('the mark says how good the line is', () => {
  assert.equal(linkMark('open', 12).level, 'good');
  assert.equal(linkMark('open', 80).level, 'fair');
  assert.equal(linkMark('open', 300).level, 'bad');
  assert.equal(linkMark('open', NaN).text, '');
  assert.deepEqual(linkMark('waiting', NaN), { level: 'lost', text: 'reconnecting' });
});
