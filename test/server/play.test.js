/** Plays matches with screens and phones on a TV: phones join, leave, reconnect and are removed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { BUTTON_A, unpackInput } from '../../app/game/input.js';
import { LIMITS } from '../../app/limits/table.js';
import { loadCatalog } from '../../app/packages/catalog.js';
import { decodeFrame } from '../support/decode-frame.js';
import { askAdmin } from '../support/http.js';
import { Client, games, openRoom, startTv, until } from '../support/tv.js';

test('a match that a screen starts gets all idle players, and the screen can stop it', async (t) => {
  const [, screen, ann] = await openRoom(t, ['Ann']);
  const { match } = await screen.ask({ t: 'start', game: 'faulty' }, 'watch');
  await ann.next('match', (message) => message.match === match);
  await screen.moreFrames(3);
  const ended = await screen.ask({ t: 'stop', match }, 'ended');
  assert.deepEqual([ended.match, ended.reason], [match, 'stopped']);
  assert.equal(ended.results[0].name, 'Ann');
  assert.equal((await ann.next('ended')).reason, 'stopped');
  ann.send({ t: 'again' });
  const again = await screen.next('watch');
  assert.notEqual(again.match, match, 'the screen shows the next match');
});

test('a page that comes to a podium gets its news, and a phone that has missed the end the result', async (t) => {
  const folder = fileURLToPath(new URL('../e2e/games', import.meta.url));
  const tv = await startTv(t, { games: await loadCatalog(folder, undefined, 'open') });
  const [ann, ben] = [await Client.pad(tv, { name: 'Ann' }), await Client.pad(tv, { name: 'Ben' })];
  const { match } = await ann.start('brief');
  await ben.next('match');
  let presses = 0;
  await until(() => {
    ann.input(0, 0, BUTTON_A, ++presses);
    ann.input(0, 0, 0, presses);
    return ann.messages.some(({ t: type }) => type === 'news');
  }, 'the podium');
  await ann.ask({ t: 'pause', on: true }, 'pause');
  const late = await Client.screen(tv);
  const { news } = await late.ask({ t: 'watch', match }, 'watch');
  const close = (/** @type {any[]} */ all) => all.find(({ award }) => award === 'close')?.people[0];
  assert.equal(close(news).name, 'Ann');
  ben.messages.length = 0;
  await ben.connect(tv);
  assert.equal(close((await ben.next('match')).news).name, 'Ann');

  ann.vanish();
  ben.send({ t: 'pause', on: false });
  await ben.next('ended');
  for (const [shown, types] of [
    [match, ['welcome', 'ended', 'lobby']],
    [undefined, ['welcome', 'lobby']],
  ]) {
    const hello = { t: 'hello', role: 'pad', token: ann.token, match: shown };
    const back = await Client.connect(tv, hello);
    await back.wait('lobby');
    const got = back.messages.map(({ t: type }) => type);
    assert.deepEqual(got, types);
  }
});

test('presses in the lobby do not count in the next match', async (t) => {
  const tv = await startTv(t, { games });
  const ann = await Client.pad(tv, { name: 'Ann' });
  ann.input(0, 0, BUTTON_A, 1);
  ann.input(0, 0, 0, 1);
  await ann.settle();
  await ann.start('faulty');
  ann.input(127, 0, 0, 1);
  const [{ seats }] = tv.lobby.matches;
  await until(() => unpackInput(seats.wordAt(0)).x === 1, 'the input');
  assert.deepEqual(seats.pressesAt(0), [0, 0]);
});

test('the phone that started a match may stop it after it has left, others may not', async (t) => {
  const [, , ann, ben] = await openRoom(t, ['Ann', 'Ben']);
  const { match } = await ann.start('faulty');
  await ben.ask({ t: 'join', match }, 'match');
  ann.send({ t: 'leave' });
  await ann.next('lobby', ({ me, matches }) => me.match === null && matches[0]?.own);
  assert.equal(await ben.refusal({ t: 'stop', match }), 'PITV_NOT_YOURS');
  assert.equal(await ann.refusal({ t: 'stop', match: 99 }), 'PITV_MATCH_UNKNOWN');
  ann.send({ t: 'stop', match });
  assert.equal((await ben.next('ended')).reason, 'stopped');
});

test('when a worker fails, screen and phones get a notice, stay connected, and the match continues', async (t) => {
  const [tv, screen, ann] = await openRoom(t, ['Ann']);
  const { match } = await ann.start('faulty');
  await ann.next('hud');
  await screen.moreFrames(60);
  const [running] = tv.lobby.matches;
  const phase = once(running, 'restart').then(() => running.phase);
  ann.input(0, 0, BUTTON_A, 1, 0);
  assert.equal((await ann.next('notice')).level, 'warning');
  await screen.next('notice');
  assert.equal(await phase, 'restarting');
  ann.input(127, 0, 0, 1, 0);
  const isSeen = () => screen.frame && decodeFrame(screen.frame).bodies.x[0] === 127;
  await screen.until(isSeen, 'more frames');
  const { tick } = decodeFrame(/** @type {Buffer} */ (screen.frame));
  assert.ok(tick >= 45, `from a checkpoint and not from the start: tick ${tick}`);
  assert.deepEqual([tv.lobby.matches[0].id, running.restarts], [match, 1]);
  assert.equal(ann.closed, undefined);
});

test('two phones that press start at the same time start one match', async (t) => {
  const [tv, screen, ann, ben] = await openRoom(t, ['Ann', 'Ben']);
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
  const [tv, screen, ann] = await openRoom(t, ['Ann']);
  ann.send({ t: 'start', game: 'faulty' });
  const { match } = await screen.next('watch');
  const ben = await Client.pad(tv, { name: 'Ben' });
  const lobby = await ben.next('lobby');
  const shown = { names: ['Ann'], place: 0, shown: true };
  assert.deepEqual(lobby.matches, [
    { id: match, game: 'faulty', title: 'Faulty', open: true, ...shown },
  ]);
  const { slot, controls } = await ben.ask({ t: 'join', match }, 'match');
  assert.deepEqual([slot, controls.stick], [1, 'move']);
  const slots = await screen.next('slots');
  const names = slots.slots.map((/** @type {any} */ seat) => seat.player.name);
  assert.deepEqual(names, ['Ann', 'Ben']);
  const { matches } = await (await fetch(`${tv.url}/api/matches`)).json();
  const [{ players, spectators, phase }] = matches;
  assert.deepEqual([players, spectators, phase], [2, 1, 'play']);
  const cid = await Client.pad(tv, { name: 'Cid' });
  assert.equal(await cid.refusal({ t: 'join', match }), 'PITV_MATCH_FULL');
  ben.send({ t: 'leave' });
  await screen.next('slots', (message) => message.slots[1].player === null);
  await ben.next('lobby', (message) => message.me.match === null);
  assert.equal(tv.lobby.matches.length, 1, 'the match continues with Ann');
});

test('a phone that reconnects with its token is the same player in the same match', async (t) => {
  const [tv, screen] = await openRoom(t);
  const ann = await Client.connect(tv, { t: 'hello', role: 'pad', code: tv.code, name: 'Ann' });
  const { token, player, resumed } = await ann.next('welcome');
  assert.equal(resumed, false);
  const { match, slot } = await ann.start('faulty');
  ann.vanish();
  await screen.next('lobby', (message) => message.players[0]?.connected === false);
  const back = await Client.connect(tv, { t: 'hello', role: 'pad', token });
  const welcome = await back.next('welcome');
  assert.deepEqual([welcome.player, welcome.resumed, welcome.token], [player, true, token]);
  const again = await back.next('match');
  assert.deepEqual([again.match, again.slot], [match, slot]);
  await back.next('hud');
});

test('a second connection of a player replaces the first one', async (t) => {
  const tv = await startTv(t, { games });
  const ann = await Client.pad(tv);
  await ann.start('faulty');
  const second = await Client.connect(tv);
  second.send({ t: 'hello', role: 'pad', token: ann.token });
  for (let i = 0; i < 50; i++) ann.input(i, i); // in transit while the TV accepts the other connection
  assert.equal((await second.next('welcome')).resumed, true);
  assert.equal((await ann.whenClosed()).code, 4000);
  assert.equal(tv.lobby.players.all[0].connected, true, 'the old connection changes nothing');
});

test('the number of players per address is limited by --max-pads-per-address', async (t) => {
  const tv = await startTv(t, { games, args: ['--max-pads-per-address', '1'] });
  const first = await Client.pad(tv);
  const late = await Client.connect(tv);
  const hello = { t: 'hello', role: 'pad', code: tv.code };
  assert.equal(await late.refusal(hello), 'PITV_PLAYERS_ADDRESS');
  const other = await Client.pad(tv, { name: 'Ann' }, { localAddress: '127.0.0.2' });
  first.vanish();
  await until(() => tv.lobby.players.all.some((player) => !player.connected), 'one is away');
  await late.ask(hello, 'welcome');
  assert.equal(other.closed, undefined);
});

test('the admin removes a player, who leaves the match and has to join again', async (t) => {
  const [tv, , ann, ben] = await openRoom(t, ['Ann', 'Ben']);
  const { match: id } = await ann.start('faulty');
  await ben.next('match');
  /** @type {{players: import('../../app/web/admin/view.js').PlayerInfo[]}} */
  const listed = await (await askAdmin(tv, '/players')).json();
  const lines = listed.players.map((player) => `${player.name} ${player.match} ${player.address}`);
  assert.deepEqual(lines, [`Ann ${id} 127.0.0.1`, `Ben ${id} 127.0.0.1`]);
  assert.ok(listed.players.every(({ connected }) => connected));
  const remove = () => askAdmin(tv, '/players/1', { method: 'DELETE' });
  assert.equal((await remove()).status, 204);
  assert.equal((await ann.whenClosed()).code, 4002);
  const [match] = tv.lobby.matches;
  const names = match.players.map(({ name }) => name);
  assert.deepEqual(names, ['Ben']);
  const again = await Client.connect(tv);
  const hello = { t: 'hello', role: 'pad', token: ann.token };
  assert.equal(await again.refusal(hello), 'PITV_CODE_WRONG');
  assert.equal((await remove()).status, 404);
});

test('many changes of names are sent to a screen in few messages', async (t) => {
  const [tv, screen] = await openRoom(t);
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
