/** Tests the limit on players per address, and the removal of players by the admin. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { Client, faultyGame, startTv, until } from '../support/tv.js';

const games = [faultyGame];

/** @param {import('../../app/tv.js').Tv} tv @param {string} [path] @param {RequestInit} [options] */
const players = (tv, path = '', options) =>
  fetch(`${tv.url}/api/players${path}`, {
    headers: { authorization: `Bearer ${tv.admin.token}` },
    ...options,
  });

test('the number of players per address is limited', async (t) => {
  const tv = await startTv(t, { games });
  const most = LIMITS.padsPerAddress.value;
  const pads = [];
  for (let i = 0; i < most; i++) pads.push(await Client.pad(tv));
  const late = await Client.connect(tv, { t: 'hello', role: 'pad', code: tv.code });
  assert.equal((await late.next('error')).code, 'PITV_PLAYERS_ADDRESS');
  const other = await Client.pad(tv, { name: 'Ann' }, { localAddress: '127.0.0.2' });
  assert.equal(tv.lobby.players.all.length, most + 1);
  pads[0].vanish();
  await until(
    () => tv.lobby.players.all.some((player) => !player.connected),
    'a disconnected player',
  );
  late.send({ t: 'hello', role: 'pad', code: tv.code });
  await late.next('welcome');
  assert.equal(other.closed, undefined);
});

test('--max-pads-per-address raises the number of players per address', async (t) => {
  const tv = await startTv(t, { games, args: ['--max-pads-per-address', '17'] });
  for (let i = 0; i < 17; i++) await Client.pad(tv);
  assert.equal(tv.lobby.players.all.length, 17);
});

test('the admin removes a player, who leaves the match and has to join again', async (t) => {
  const tv = await startTv(t, { games });
  const ann = await Client.connect(tv, { t: 'hello', role: 'pad', code: tv.code, name: 'Ann' });
  const { token, player } = await ann.next('welcome');
  const ben = await Client.pad(tv, { name: 'Ben' });
  ann.send({ t: 'start', game: 'faulty' });
  const { match: id } = await ann.next('match');
  await ben.next('match');
  /** @type {{players: import('../../app/web/admin/view.js').PlayerInfo[]}} */
  const listed = await (await players(tv)).json();
  assert.deepEqual(
    listed.players.map(({ name, match, connected, address }) => [name, match, connected, address]),
    [
      ['Ann', id, true, '127.0.0.1'],
      ['Ben', id, true, '127.0.0.1'],
    ],
  );
  assert.equal((await players(tv, `/${player.id}`, { method: 'DELETE' })).status, 204);
  assert.equal((await ann.whenClosed()).code, 4002);
  const [match] = tv.lobby.matches;
  assert.deepEqual(
    match.players.map(({ name }) => name),
    ['Ben'],
  );
  const again = await Client.connect(tv, { t: 'hello', role: 'pad', token });
  assert.equal((await again.next('error')).code, 'PITV_CODE_WRONG');
  assert.equal((await players(tv, `/${player.id}`, { method: 'DELETE' })).status, 404);
});

test('only the admin lists and removes players', async (t) => {
  const tv = await startTv(t, { games });
  await Client.pad(tv);
  const [{ id }] = tv.lobby.players.all;
  for (const authorization of ['', 'Bearer wrong', `Bearer ${tv.code}`]) {
    const headers = { authorization };
    assert.equal((await players(tv, '', { headers })).status, 401);
    assert.equal((await players(tv, `/${id}`, { method: 'DELETE', headers })).status, 401);
  }
  assert.equal(tv.lobby.players.all.length, 1);
});

test('many changes of names are sent to a screen in few messages', async (t) => {
  const tv = await startTv(t, { games });
  const screen = await Client.screen(tv);
  const pads = await Promise.all(Array.from({ length: 8 }, () => Client.pad(tv)));
  await screen.next('lobby', (message) => message.players.length === pads.length);
  screen.messages.length = 0;
  const began = performance.now();
  let names = 0;
  for (let round = 0; round < 12; round++) {
    for (const pad of pads) pad.send({ t: 'name', name: `${names++}` });
    await Promise.all(pads.map((pad) => pad.settle()));
    await new Promise((resolve) => setTimeout(resolve, 50)); // longer than the time for which changes are collected
  }
  const last = `${names - 1}`;
  await screen.next('lobby', ({ players: all }) =>
    all.some((/** @type {any} */ { name }) => name === last),
  );
  const told = screen.messages.filter(({ t: type }) => type === 'lobby').length;
  const most = (performance.now() - began) / LIMITS.lobbyPause.value + 1;
  assert.ok(told <= most, `${told} of ${most}`);
});
