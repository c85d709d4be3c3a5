import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { BACKOFF, Connection, backoffMs } from '../../app/web/lib/connection.js';
import { describeLink } from '../../app/web/lib/notes.js';
import { poll } from '../support/polling.js';

/** @param {() => unknown} condition */
const until = async (condition) => assert.ok(await poll(condition, 30_000));

/**
 * Lets time pass until a condition holds. The connection looks for silence at each of these times.
 * @param {import('node:test').TestContext} t @param {() => unknown} condition
 */
function passUntil(t, condition) {
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  return until(() => {
    now += 500;
    t.mock.timers.tick(1000);
    return condition();
  });
}

/**
 * Starts a server that answers hello with welcome, and opens a page's connection to it.
 * @param {import('node:test').TestContext} t
 * @param {object} [options]
 * @param {boolean} [options.opens] whether the connection is opened
 * @param {Partial<import('../../app/web/lib/connection.js').ConnectionOptions>} [options.connection]
 */
async function setUp(t, { opens = true, connection: more = {} } = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  /** @type {any[]} */
  const received = [];
  /** @type {WebSocket[]} */
  const sockets = [];
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('message', (data, isBinary) => {
      const message = isBinary ? data : JSON.parse(String(data));
      received.push(message);
      if (isBinary) return;
      if (message.t === 'hello') socket.send(JSON.stringify({ t: 'welcome', n: sockets.length }));
      if (message.t === 'ping') socket.send(JSON.stringify({ t: 'pong', at: message.at }));
    });
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  /** @type {any[]} */
  const messages = [];
  const keep = (/** @type {any} */ message) => messages.push(message);
  /** @type {string[]} */
  const states = [];
  const connection = new Connection({
    url: `ws://127.0.0.1:${port}`,
    WebSocket,
    hello: () => ({ role: 'pad' }),
    handlers: { welcome: keep, notice: keep },
    onState: (state) => states.push(state),
    ...more,
  });
  t.after(() => {
    connection.close();
    for (const socket of sockets) socket.terminate();
    server.close();
  });
  if (opens) {
    connection.open();
    await until(() => connection.state === 'open');
  }
  return { server, sockets, received, messages, states, connection };
}

test('says hello first, is open after the welcome, and measures the round trip', async (t) => {
  const { connection, received, messages, states } = await setUp(t);
  assert.deepEqual(received[0], { t: 'hello', role: 'pad' });
  assert.equal(messages[0].t, 'welcome');
  assert.deepEqual(states.slice(0, 2), ['connecting', 'open']);
  await until(() => connection.rttMs >= 0);
});

test('reconnects after a lost connection, and says hello again', async (t) => {
  const { connection, received, sockets, states } = await setUp(t);
  sockets[0].terminate();
  await until(() => connection.state === 'open' && sockets.length === 2);
  assert.ok(states.includes('waiting'));
  assert.equal(received.filter(({ t: type }) => type === 'hello').length, 2);
  assert.equal(connection.attempts, 0, 'a welcome resets the count');
});

test('a request without a connection is sent after the welcome, and only once', async (t) => {
  const { connection, received, sockets } = await setUp(t, { opens: false });
  const starts = () => received.filter(({ t: type }) => type === 'start').length;
  connection.request({ t: 'start', game: 'one' });
  connection.open();
  await until(() => connection.state === 'open' && connection.rttMs >= 0);
  assert.equal(starts(), 1);
  connection.request({ t: 'start', game: 'two' });
  await until(() => starts() === 2);
  sockets[0].terminate();
  await until(() => sockets.length === 2 && connection.state === 'open' && connection.rttMs >= 0);
  assert.equal(starts(), 2);
});

test('a request is sent after a welcome that was slow to come', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { connection, server, sockets, states } = await setUp(t, { opens: false });
  server.on('connection', (socket) => socket.removeAllListeners('message'));
  connection.request({ t: 'start' });
  connection.open();
  await until(() => sockets.length === 1);
  // It tells its state again when it has noticed the silence.
  await passUntil(t, () => states.length === 2);
  assert.deepEqual(states, ['connecting', 'connecting']);
  const answered = new Promise((resolve) => {
    sockets[0].on('message', (data) => String(data).includes('start') && resolve(undefined));
  });
  sockets[0].send('{"t":"welcome"}');
  await answered;
});

test('keeps trying while no server listens', async (t) => {
  const { connection, server, sockets } = await setUp(t);
  server.close();
  sockets[0].terminate();
  await until(() => connection.attempts >= 3);
  assert.notEqual(connection.state, 'open');
  assert.ok(Number.isNaN(connection.rttMs));
});

test('reconnects if the server is silent', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { connection, sockets } = await setUp(t);
  sockets[0].removeAllListeners('message');
  await passUntil(t, () => connection.state === 'waiting');
  await until(() => sockets.length >= 2);
});

test('shows that the server does not answer before it reconnects', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { connection, sockets } = await setUp(t);
  sockets[0].removeAllListeners('message');
  await passUntil(t, () => connection.shownState === 'waiting');
  assert.equal(connection.state, 'open');
  sockets[0].send(JSON.stringify({ t: 'pong', at: 0 }));
  await until(() => connection.shownState === 'open');
  connection.close();
});

test('a page that was replaced or removed does not connect again', async (t) => {
  for (const [code, reason] of /** @type {const} */ ([
    [4000, 'replaced'],
    [4002, 'removed'],
  ])) {
    /** @type {string | undefined} */
    let dismissed;
    const { connection, sockets } = await setUp(t, {
      connection: { onDismissed: (why) => (dismissed = why) },
    });
    sockets[0].close(code, 'elsewhere');
    await until(() => connection.state === 'closed');
    assert.equal(dismissed, reason);
    assert.equal(sockets.length, 1);
  }
});

test('frames are received as array buffers, bytes are sent unchanged', async (t) => {
  /** @type {ArrayBuffer[]} */
  const frames = [];
  const { connection, received, sockets } = await setUp(t, {
    opens: false,
    connection: { onFrame: (frame) => frames.push(frame) },
  });
  assert.equal(connection.sendBytes(Uint8Array.of(1)), false, 'not connected yet');
  connection.open();
  await until(() => connection.state === 'open');
  sockets[0].send(Uint8Array.of(5, 6, 7));
  sockets[0].send('{"t":"notice"}');
  assert.equal(connection.sendBytes(Uint8Array.of(1, 2, 3)), true);
  await until(() => frames.length === 1 && received.some((message) => Buffer.isBuffer(message)));
  assert.deepEqual([...new Uint8Array(frames[0])], [5, 6, 7]);
});

test('a ping is answered, and other messages are passed on', async (t) => {
  const { messages, received, sockets } = await setUp(t);
  sockets[0].send('{"t":"notice"}');
  sockets[0].send(JSON.stringify({ t: 'ping', at: 42 }));
  await until(() => received.some((message) => message.t === 'pong' && message.at === 42));
  assert.equal(messages.map(({ t: type }) => type).join(), 'welcome,notice');
});

test('reopen() connects again at once, close() does not reconnect', async (t) => {
  const { connection, sockets } = await setUp(t);
  connection.reopen();
  await until(() => connection.state === 'open' && sockets.length === 2);
  connection.close();
  assert.equal(connection.state, 'closed');
  assert.equal(connection.send({ t: 'ping' }), false);
});

test('the delay doubles up to a limit, half of it is random', () => {
  for (let attempt = 0; attempt < 40; attempt++) {
    const step = Math.min(BACKOFF.maxMs, BACKOFF.firstMs * 2 ** attempt);
    const [least, most] = [0, 0.999999].map((share) => backoffMs(attempt, BACKOFF, () => share));
    assert.equal(least, step / 2);
    assert.ok(most <= step);
  }
});

test('describeLink() describes the quality of the connection', () => {
  for (const [state, rttMs, level, text] of /** @type {const} */ ([
    ['open', 12, 'good', '12 ms'],
    ['open', 80, 'fair', '80 ms'],
    ['open', 300, 'bad', '300 ms'],
    ['open', NaN, 'good', ''],
    ['waiting', NaN, 'lost', 'reconnecting'],
  ])) {
    assert.deepEqual(describeLink(state, rttMs), { level, text });
  }
});
