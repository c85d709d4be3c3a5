/**
 * Tests the rate limits per address, and that an attacker with many addresses takes nothing away from the owner and the
 * players.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import test from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { ask } from '../support/http.js';
import { Client, faultyGame, startTv, until } from '../support/tv.js';
import { closed, openSocket } from '../support/wire.js';
import { dropped, quickHash } from './refusals.js';

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
const playAtScreen = async (tv, localAddress) => [
  await Client.screen(tv, undefined, { localAddress }),
  await Client.pad(tv, undefined, { localAddress }),
  await Client.pad(tv, undefined, { localAddress }),
  await Client.pad(tv, undefined, { localAddress }),
  await Client.pad(tv, undefined, { localAddress }),
];

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
