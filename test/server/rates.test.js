/** Tests the rate limits per address. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import test from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { ask } from '../support/http.js';
import { closed, openSocket } from '../support/wire.js';
import { Client, faultyGame, metricsOf, startTv } from '../support/tv.js';

const games = [faultyGame];
/** More than the burst of each rate and the tokens that are added during the test. */
const ENOUGH = 5000;
const FLOODER = '127.0.0.7';

/** @typedef {import('node:http').RequestOptions} RequestOptions */

/**
 * Starts a TV that answers a request a second, after a burst, and makes an agent with one connection.
 * @param {import('node:test').TestContext} t @param {string[]} args more options
 */
async function startLimited(t, ...args) {
  const tv = await startTv(t, { games, args: ['--max-requests-per-second', '1', ...args] });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  return { tv, agent };
}
const ONE = ['--max-clients-per-address', '1'];

/**
 * Repeats a request until it is refused.
 * @param {import('../../app/tv.js').Tv} tv @param {RequestOptions} options
 * @returns {Promise<{count: number, headers: Record<string, any>}>} count: requests before that; headers of the refusal
 */
async function askUntilRefused(tv, options) {
  for (let count = 0; count < ENOUGH; count++) {
    const { status, headers } = await ask(tv, '/healthz', options);
    if (status === 429) return { count, headers };
    assert.equal(status, 200);
  }
  throw new Error('no request was refused');
}

test('requests beyond the rate get status 429 and the end of the connection', async (t) => {
  const { tv, agent } = await startLimited(t, ...ONE);
  const options = { agent, localAddress: FLOODER };
  const { count, headers } = await askUntilRefused(tv, options);
  assert.ok(count >= LIMITS.requests.value.burst + 1, `${count} requests were answered`);
  assert.equal(headers.connection, 'close');
  assert.ok(Number(headers['retry-after']) >= 1);
  // One more is allowed each second: of ten at once, one is refused on a slow machine, too.
  const join = () => Client.connect(tv, undefined, { localAddress: FLOODER });
  const answers = await Promise.allSettled(Array.from({ length: 10 }, join));
  const refusals = answers.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  assert.ok(refusals.length > 0, 'a websocket is refused');
  assert.match(String(refusals[0]), /429/);
  assert.equal((await ask(tv, '/healthz')).status, 200, 'another address');
  const metrics = await metricsOf(tv);
  assert.ok(Number(metrics.get('pitv_messages_dropped_total{kind="request-rate"}')) >= 1);
});

test('a connection is not answered after a 429', async (t) => {
  const { tv, agent } = await startLimited(t, ...ONE);
  await askUntilRefused(tv, { agent, localAddress: FLOODER });
  const socket = await openSocket(t, tv, { localAddress: FLOODER });
  let answers = '';
  socket.on('data', (data) => (answers += data));
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(4));
  await closed(socket);
  // One request is allowed each second, so on a slow machine the first may be answered.
  const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  const answered = statuses.slice(0, -1);
  assert.ok(answered.length < 3 && answered.every((status) => status === '200'), answers);
  assert.equal(statuses.at(-1), '429', answers);
});

test('requests with any Expect header count', async (t) => {
  const { tv, agent } = await startLimited(t, ...ONE);
  const options = { localAddress: FLOODER };
  const expecting = { ...options, headers: { expect: 'more' } };
  assert.equal((await ask(tv, '/healthz', expecting)).status, 417);
  const continuing = { ...options, headers: { expect: '100-continue' } };
  assert.equal((await ask(tv, '/healthz', continuing)).status, 200);
  await askUntilRefused(tv, { agent, ...options });
  assert.equal((await ask(tv, '/healthz', expecting)).status, 429);
  assert.equal((await ask(tv, '/healthz', continuing)).status, 429);
});

test('behind a trusted proxy, requests count for the client', async (t) => {
  const { tv, agent } = await startLimited(t, '--trusted-proxy', 'loopback');
  const flooder = { agent, headers: { 'x-forwarded-for': '192.168.1.5' } };
  await askUntilRefused(tv, flooder);
  const other = { agent, headers: { 'x-forwarded-for': '192.168.1.6' } };
  assert.equal((await ask(tv, '/healthz', other)).status, 200);
});

test('connections beyond the rate are closed before they send a request', async (t) => {
  const tv = await startTv(t, { games });
  let opened = 0;
  for (; opened < ENOUGH; opened++) {
    const socket = connect({ host: '127.0.0.1', port: tv.port, localAddress: FLOODER });
    socket.on('error', () => {});
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answered] = await Promise.race([
      once(socket, 'data').then(() => [true]),
      closed(socket).then(() => [false]),
    ]);
    socket.destroy();
    if (!answered) break;
  }
  const { burst } = LIMITS.newSockets.value;
  assert.ok(opened >= burst && opened < ENOUGH, `${opened} connections`);
  assert.equal((await ask(tv, '/healthz')).status, 200, 'another address');
});

test('hellos beyond the rate close the websocket', async (t) => {
  const tv = await startTv(t, { games });
  let hellos = 0;
  /** @type {Client | undefined} */
  let client;
  for (; hellos < ENOUGH && !client?.closed; hellos++) {
    client = await Client.connect(tv, { t: 'hello', role: 'screen' }, { localAddress: FLOODER });
    await client.until(() => client?.closed || client?.messages.length, 'an answer');
    if (!client.closed) client.vanish();
    else break;
  }
  assert.deepEqual(client?.closed, { code: 1008, reason: 'too many hellos' });
  assert.ok(hellos >= LIMITS.hellos.value.burst, `${hellos} hellos were answered`);
  await Client.screen(tv);
});
