/**
 * Tests the rate limits per address, that an attacker with many addresses takes nothing away from the owner and the
 * players, limits on connections, clients that do not answer, and a TV without free descriptors.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../app/limits/table.js';
import { Connection } from '../../app/server/connection.js';
import { Counters } from '../../app/server/metrics.js';
import { ask } from '../support/http.js';
import { startServe } from '../support/serve.js';
import { Client, games, startTv, until } from '../support/tv.js';
import { closed, openSocket } from '../support/wire.js';
import { dropped, quickHash, refusedStatus } from './refusals.js';

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

test('requests beyond the rate get status 429 and the end of the connection, and no further answer', async (t) => {
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
  assert.ok((await dropped(tv, 'request-rate')) >= 1);
  // A connection is not answered after a 429.
  const socket = await openSocket(t, tv, { localAddress: FLOODER });
  let said = '';
  socket.on('data', (data) => (said += data));
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(4));
  await closed(socket);
  // One request is allowed each second, so on a slow machine the first may be answered.
  const statuses = [...said.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  const answered = statuses.slice(0, -1);
  assert.ok(answered.length < 3 && answered.every((status) => status === '200'), said);
  assert.equal(statuses.at(-1), '429', said);
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
  let end;
  for (; !end && hellos < ENOUGH; hellos++) {
    const hello = { t: 'hello', role: 'screen' };
    const client = await Client.connect(tv, hello, { localAddress: FLOODER });
    await client.until(() => client.closed ?? client.messages.length, 'an answer');
    end = client.closed;
    client.vanish();
  }
  assert.deepEqual(end, { code: 1008, reason: 'too many hellos' });
  assert.ok(hellos > LIMITS.hellos.value.burst, `${hellos} hellos were answered`);
  await Client.screen(tv);
});

/** @typedef {import('../../app/tv.js').Tv} Tv */

const PASSWORD = 'correct horse';
const THIS_MACHINE = '127.0.0.1';
/** Addresses that the admin uses. */
const [LOGIN, SCRIPT] = ['127.0.7.1', '127.0.7.2'];
/** Addresses of the attacker. */
const MANY = Array.from({ length: 250 }, (_, i) => `127.0.8.${i + 1}`);

/** Returns the code of the error in an answer. @param {{body: Buffer}} answer @returns {string} */
const codeOf = ({ body }) => (body.length > 0 && JSON.parse(String(body)).error?.code) || '';

/** Logs in as a browser does. @param {Tv} tv @param {string} password @param {string} localAddress */
const logIn = (tv, password, localAddress) =>
  ask(tv, '/api/admin/login', { localAddress, headers: { origin: tv.url }, body: { password } });

test('the admin logs in from this machine and from known addresses while others guess', async (t) => {
  const tv = await startTv(t, { games, login: { hash: quickHash } });
  await tv.admin.setPassword(PASSWORD, THIS_MACHINE);
  assert.equal((await logIn(tv, PASSWORD, LOGIN)).status, 204);
  const headers = { authorization: `Bearer ${tv.admin.token}` };
  await ask(tv, '/api/admin/session', { localAddress: SCRIPT, headers });
  const guesses = await Promise.all(MANY.map((address) => logIn(tv, 'wrong horse', address)));
  assert.ok(guesses.some((answer) => codeOf(answer) === 'PITV_LOGIN_LOCKED'));
  for (let i = 0; i < 15; i++) {
    const answers = await Promise.all([
      logIn(tv, 'wrong horse', MANY[i]),
      ...[LOGIN, SCRIPT, THIS_MACHINE].map((address) => logIn(tv, PASSWORD, address)),
    ]);
    const statuses = answers.slice(1).map(({ status }) => status);
    assert.deepEqual(statuses, [204, 204, 204]);
  }
});

/** Connects a screen and four players at its keyboard. @param {Tv} tv @param {string} localAddress */
const playAtScreen = (tv, localAddress) =>
  Promise.all([
    Client.screen(tv, undefined, { localAddress }),
    ...[1, 2, 3, 4].map(() => Client.pad(tv, undefined, { localAddress })),
  ]);

test('players stay and pages of this machine load when others take all connections', async (t) => {
  const tv = await startTv(t, { games, args: ['--max-clients', '20'] });
  const max = 20 + LIMITS.pageSockets.value;
  const players = await Promise.all(
    [THIS_MACHINE, '127.0.7.1'].map((address) => playAtScreen(tv, address)),
  );
  for (const localAddress of [...MANY, ...MANY]) await openSocket(t, tv, { localAddress });
  await until(() => tv.server.sockets === max, 'the maximum number of connections');
  const pages = Array.from({ length: 4 }, () =>
    ask(tv, '/healthz', { localAddress: THIS_MACHINE }),
  );
  for (const { status } of await Promise.all(pages)) assert.equal(status, 200);
  for (const client of players.flat()) await client.settle();
});

test('a client is disconnected that sends no hello, or answers no ping', async (t) => {
  const times = { helloMs: 50, heartbeatMs: 20, deadMs: 300 };
  const tv = await startTv(t, { games, times });
  const silent = await Client.connect(tv);
  assert.equal((await silent.whenClosed()).code, 4001);
  const alive = await Client.screen(tv);
  const dead = await Client.pad(tv);
  dead.socket.pause(); // it reads nothing, and therefore answers no ping
  await alive.next('lobby', (message) => message.players[0]?.connected === false);
  assert.equal(alive.closed, undefined);
  assert.equal(await dropped(tv, 'dead'), 1);
  dead.vanish();
});

test('a client that answers a ping late gets no frame until it has read all earlier ones', () => {
  /** @type {Buffer[]} */
  const pings = [];
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send() {},
    ping: (/** @type {Buffer} */ payload) => pings.push(payload),
  });
  const connection = new Connection(/** @type {any} */ (socket), '127.0.0.1', new Counters());
  const start = Math.floor(performance.now()); // sums of whole numbers are exact
  assert.ok(connection.hasRoom(start));
  connection.sendFrame(Buffer.alloc(1), start);
  connection.sendFrame(Buffer.alloc(1), start);
  assert.ok(connection.hasRoom(start + 250));
  assert.ok(!connection.hasRoom(start + 251));
  socket.emit('pong', pings[0]);
  assert.ok(!connection.hasRoom(start), 'it may not have read the second frame');
  socket.emit('pong', pings[1]);
  assert.ok(connection.hasRoom(start));
  connection.sendFrame(Buffer.alloc(1), start + 60_000);
  connection.sendFrame(Buffer.alloc(1), start + 60_000);
  socket.emit('pong', pings[2]);
  assert.equal(pings.length, 3, 'it was in time, so it need not show that it has read the rest');
});

test('the number of idle sockets is limited', async (t) => {
  const tv = await startTv(t, { games, args: ['--max-clients-per-address', '2'] });
  const sockets = Array.from({ length: 90 }, () => connect(tv.port, '127.0.0.1'));
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  let ended = 0;
  for (const socket of sockets) socket.on('error', () => {}).on('close', () => ended++);
  await until(() => ended >= 24, 'the end of the sockets beyond 66');
  assert.equal(ended, 24);
  sockets.slice(0, 10).forEach((socket) => socket.destroy());
  const count = () => dropped(tv, 'socket-address').catch(() => 0); // fails while all sockets are taken
  await until(async () => (await count()) >= 24, 'the count of refused sockets');
});

test('the number of websockets is limited, in total and per address', async (t) => {
  const args = ['--max-clients-per-address', '2'];
  const tv = await startTv(t, { games, args });
  const first = await Client.connect(tv);
  await Client.connect(tv);
  assert.equal(await refusedStatus(tv), 429);
  first.vanish();
  await until(() => Client.connect(tv).catch(() => undefined), 'a free place');
  const small = await startTv(t, { games, args: ['--max-clients', '1'] });
  await Client.connect(small);
  assert.equal(await refusedStatus(small), 503);
});

const FEW = 3; // stdin, stdout and stderr
const WITHOUT_MS = 500;

test('a TV without free descriptors keeps running, and answers when it has some again', async (t) => {
  const serve = await startServe(t, '--engine', 'thread');
  const limit = (/** @type {string | number} */ descriptors) =>
    execFileSync('prlimit', [`--pid=${serve.pid}`, `--nofile=${descriptors}:`]);
  limit(FEW);
  const answers = Array.from(
    { length: 4 },
    async () => (await fetch(`${serve.url}/healthz`)).status,
  );
  await delay(WITHOUT_MS);
  limit('1024');
  assert.deepEqual(await Promise.all(answers), [200, 200, 200, 200], serve.log);
  assert.ok(serve.running);
});
