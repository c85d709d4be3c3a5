/** Tests that an attacker with many addresses takes nothing away from the owner and from the players. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { ask } from '../support/http.js';
import { openSocket } from '../support/wire.js';
import { Client, faultyGame, startTv, until } from '../support/tv.js';
import { quickHash, refusedStatus } from './refusals.js';

/** @typedef {import('../../app/tv.js').Tv} Tv */

const games = [faultyGame];
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

test('players at the screen of this machine or of another one stay when others take all websockets', async (t) => {
  const tv = await startTv(t, { games, args: ['--max-clients', '20'] });
  const players = await Promise.all(
    [THIS_MACHINE, '127.0.7.1'].map((address) => playAtScreen(tv, address)),
  );
  for (const localAddress of MANY.slice(0, 10))
    await Client.connect(tv, undefined, { localAddress });
  for (const localAddress of MANY.slice(10, 20)) {
    assert.equal(await refusedStatus(tv, { localAddress }), 503);
  }
  for (const client of players.flat()) await client.settle();
  const [another] = await playAtScreen(tv, THIS_MACHINE); // takes the places of the attacker
  await another.settle();
  for (const client of players.flat()) await client.settle();
});

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

test('guests join while others guess the join code from many addresses', async (t) => {
  const tv = await startTv(t, { games, code: 'BCDFG' });
  const linkCode = new URL(tv.join.joinUrl).searchParams.get('c');
  const [known, scanning, typing] = ['127.0.7.1', '127.0.7.2', '127.0.7.3'];
  (await Client.pad(tv, undefined, { localAddress: known })).vanish();
  /** @type {Record<string, number>} */
  const answers = {};
  const began = performance.now();
  for (let i = 0; i < 5; i++) {
    const round = MANY.map(async (localAddress) => {
      const body = { game: 'faulty', code: 'WRONG' };
      const code = codeOf(await ask(tv, '/api/matches', { localAddress, body }));
      answers[code] = (answers[code] ?? 0) + 1;
    });
    await Promise.all(round);
  }
  const { burst, perSecond } = LIMITS.wrongCodesOfAll.value;
  const most = burst + ((performance.now() - began) / 1000) * perSecond;
  assert.ok(answers.PITV_CODE_WRONG <= most, JSON.stringify(answers));
  assert.equal(answers.PITV_CODE_WRONG + answers.PITV_CODE_LOCKED, 5 * MANY.length);

  await Client.pad(tv, undefined, { localAddress: known });
  await Client.pad(tv, undefined, { localAddress: THIS_MACHINE });
  await Client.pad(tv, { code: linkCode }, { localAddress: scanning });
  await Client.pad(tv, { code: linkCode }, { localAddress: MANY[0] });
  await Client.pad(tv, undefined, { localAddress: scanning });
  const hello = { t: 'hello', role: 'pad', code: tv.code };
  const stranger = await Client.connect(tv, hello, { localAddress: typing });
  assert.equal((await stranger.next('error')).code, 'PITV_CODE_LOCKED');
});
