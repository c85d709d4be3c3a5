/** Tests how phones join, leave and reconnect, their number, and their removal by the admin. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { decodeFrame } from '../support/decode-frame.js';
import { Client, faultyGame, startTv, until } from '../support/tv.js';

const games = [faultyGame];

test('two phones that press start at the same time start one match', async (t) => {
  const tv = await startTv(t, { games });
  const screen = await Client.screen(tv);
  const ann = await Client.pad(tv);
  const ben = await Client.pad(tv);
  ann.send({ t: 'start', game: 'faulty' });
  ben.send({ t: 'start', game: 'faulty' });
  await Promise.all([ann.next('match'), ben.next('match')]);
  await ben.settle();
  screen.send({ t: 'start', game: 'faulty' });
  screen.send({ t: 'start', game: 'faulty' });
  await until(() => tv.lobby.matches.length === 2, "the screen's match");
  await screen.settle();
  assert.equal(tv.lobby.matches.length, 2);
});

test('a phone joins a running match and leaves it, and the screen gets both changes', async (t) => {
  const tv = await startTv(t, { games });
  const screen = await Client.screen(tv);
  const ann = await Client.pad(tv, { name: 'Ann' });
  ann.send({ t: 'start', game: 'faulty' });
  const { match } = await screen.next('watch');
  const ben = await Client.pad(tv, { name: 'Ben' });
  const lobby = await ben.next('lobby');
  assert.deepEqual(lobby.matches, [{ id: match, game: 'faulty', title: 'Faulty', open: true }]);
  ben.send({ t: 'join', match });
  assert.equal((await ben.next('match')).slot, 1);
  const slots = await screen.next('slots');
  assert.equal(slots.slots[1].player.name, 'Ben');
  const cid = await Client.pad(tv, { name: 'Cid' });
  cid.send({ t: 'join', match });
  assert.equal((await cid.next('error')).code, 'PITV_MATCH_FULL');
  ben.send({ t: 'leave' });
  await screen.next('slots', (message) => message.slots[1].player === null);
  await ben.next('lobby', (message) => message.me.match === null);
  assert.equal(tv.lobby.matches.length, 1, 'the match continues with Ann');
});

test('a phone that reconnects with its token is the same player in the same match', async (t) => {
  const tv = await startTv(t, { games });
  const screen = await Client.screen(tv);
  const ann = await Client.connect(tv, { t: 'hello', role: 'pad', code: tv.code, name: 'Ann' });
  const { token, player, resumed } = await ann.next('welcome');
  assert.equal(resumed, false);
  ann.send({ t: 'start', game: 'faulty' });
  const { match, slot } = await ann.next('match');
  ann.vanish();
  await screen.next('lobby', (message) => message.players[0]?.connected === false);
  const back = await Client.connect(tv, { t: 'hello', role: 'pad', token });
  const welcome = await back.next('welcome');
  assert.deepEqual([welcome.player, welcome.resumed, welcome.token], [player, true, token]);
  const again = await back.next('match');
  assert.deepEqual([again.match, again.slot], [match, slot]);
  await back.next('hud');
  back.input(127, 0);
  await screen.until(
    () => screen.frame !== undefined && decodeFrame(screen.frame).bodies.x[0] === 127,
    'the input of the reconnected phone',
  );
});

test('after the grace time a disconnected phone frees its seat, and the empty match ends', async (t) => {
  const tv = await startTv(t, { games, graceMs: 100 });
  const screen = await Client.screen(tv);
  const ann = await Client.pad(tv);
  ann.send({ t: 'start', game: 'faulty' });
  await ann.next('match');
  ann.vanish();
  assert.equal((await screen.next('ended')).reason, 'empty');
  await screen.next('lobby', ({ players, matches }) => players.length + matches.length === 0);
});

test('a second connection of a player replaces the first one', async (t) => {
  const tv = await startTv(t, { games });
  const ann = await Client.connect(tv, { t: 'hello', role: 'pad', code: tv.code });
  const { token } = await ann.next('welcome');
  ann.send({ t: 'start', game: 'faulty' });
  await ann.next('match');
  const second = await Client.connect(tv);
  second.send({ t: 'hello', role: 'pad', token });
  for (let i = 0; i < 50; i++) ann.input(i, i); // in transit while the TV accepts the other connection
  assert.equal((await second.next('welcome')).resumed, true);
  assert.equal((await ann.whenClosed()).code, 4000);
  assert.equal(
    tv.lobby.players.all[0].connected,
    true,
    'the end of the old connection changes nothing',
  );
});

/** @param {import('../../app/tv.js').Tv} tv @param {string} [path] @param {RequestInit} [options] */
const players = (tv, path = '', options) =>
  fetch(`${tv.url}/api/players${path}`, {
    headers: { authorization: `Bearer ${tv.admin.token}` },
    ...options,
  });

test('the number of players per address is limited by --max-pads-per-address', async (t) => {
  const most = LIMITS.padsPerAddress.value + 1;
  const tv = await startTv(t, { games, args: ['--max-pads-per-address', String(most)] });
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
  const names = match.players.map(({ name }) => name);
  assert.deepEqual(names, ['Ben']);
  const again = await Client.connect(tv, { t: 'hello', role: 'pad', token });
  assert.equal((await again.next('error')).code, 'PITV_CODE_WRONG');
  assert.equal((await players(tv, `/${player.id}`, { method: 'DELETE' })).status, 404);
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
