/** Tests the websocket messages of screens, their tokens, and who gets the replay of a match. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { readReplay } from '../../app/game/replay-file.js';
import { ScreenTokens } from '../../app/server/screen-tokens.js';
import { decodeFrame } from '../support/decode-frame.js';
import { askAdmin, post } from '../support/http.js';
import { Client, games, openRoom, startTv, until } from '../support/tv.js';

/** Starts a TV, a screen, a phone, and a match that the screen owns. @param {import('node:test').TestContext} t */
async function startMatchOfScreen(t) {
  const [tv, screen] = await openRoom(t, ['Ann']);
  /** @type {{match: number}} */
  const { match } = await screen.ask({ t: 'start', game: 'faulty' }, 'watch');
  return { tv, screen, token: screen.token, match };
}

test('a screen gets the code, the addresses, the QR code and the players', async (t) => {
  const tv = await startTv(t);
  const screen = await Client.connect(tv, { t: 'hello', role: 'screen' });
  const { role, name } = await screen.next('welcome');
  assert.deepEqual([role, name], ['screen', 'pitv']);
  const lobby = await screen.next('lobby');
  assert.equal(lobby.code, tv.code);
  assert.equal(lobby.joinUrl, `http://127.0.0.1:${tv.port}/p?c=${tv.lobby.code.linkCode}`);
  assert.deepEqual(lobby.urls, [`http://127.0.0.1:${tv.port}`]);
  assert.match(lobby.qr, /^<svg/);
  assert.deepEqual([lobby.players, lobby.matches], [[], []]);
  assert.equal(lobby.capacity.max, 8);
  const pad = await Client.pad(tv, { name: 'Ann' });
  const { players } = await screen.next('lobby', (message) => message.players.length === 1);
  const [{ name: player, match, connected }] = players;
  assert.deepEqual([player, match, connected], ['Ann', null, true]);
  const games = (await pad.next('lobby')).games.map((/** @type {any} */ game) => game.id);
  assert.deepEqual(games, ['bumper', 'swarm'], 'nobody plays collide');
  assert.equal(await pad.refusal({ t: 'start', game: 'collide' }), 'PITV_GAME_UNKNOWN');
  pad.send({ t: 'name', name: 'Ben' });
  await screen.next('lobby', (message) => message.players[0]?.name === 'Ben');
  await pad.next('lobby', (message) => message.me.name === 'Ben');
});

test('a screen gets frames of the match that it chooses to watch', async (t) => {
  const [tv, watcher, ...pads] = await openRoom(t, ['Ann', 'Ben', 'Carl']);
  pads[0].send({ t: 'start', game: 'faulty' });
  const first = await watcher.next('watch');
  await pads[0].next('match');
  const { match: second } = await pads[2].start('faulty');
  assert.ok(!watcher.messages.some(({ t: type }) => type === 'watch'));
  assert.equal((await watcher.ask({ t: 'watch', match: second }, 'watch')).match, second);
  assert.equal((await watcher.ask({ t: 'watch', match: null }, 'watch')).match, null);
  await watcher.settle();
  const { frames } = watcher;
  const matches = tv.lobby.matches.map((match) => [match, match.ticks]);
  await until(
    () => matches.every(([match, ticks]) => /** @type {any} */ (match).ticks > Number(ticks) + 10),
    'ten ticks',
  );
  await watcher.settle();
  assert.equal(watcher.frames, frames, 'no frames without a match');
  assert.notEqual(first.match, second);
});

test('all screens of a match get the same bytes, and phones get no frames', async (t) => {
  const tv = await startTv(t, { games });
  const screens = await Promise.all([Client.screen(tv), Client.screen(tv), Client.screen(tv)]);
  const pad = await Client.pad(tv);
  /** @type {Map<number, string>[]} tick -> bytes */
  const seen = screens.map((screen) => {
    const frames = new Map();
    screen.socket.on('message', (data, isBinary) => {
      const bytes = /** @type {Buffer} */ (data);
      if (isBinary) frames.set(bytes.readUInt32LE(4), bytes.toString('hex'));
    });
    return frames;
  });
  pad.send({ t: 'start', game: 'faulty' });
  await Promise.all(screens.map((screen) => screen.moreFrames(30)));
  const common = [...seen[0].keys()].filter((tick) => seen.every((frames) => frames.has(tick)));
  assert.ok(common.length >= 20);
  for (const tick of common) assert.equal(new Set(seen.map((frames) => frames.get(tick))).size, 1);
  assert.equal(pad.frames, 0);
});

test('with --screen-access code a screen enters the code once, and may stop any match; players see its replay, too', async (t) => {
  const tv = await startTv(t, { games, args: ['--screen-access', 'code'] });
  const first = await Client.connect(tv);
  assert.equal(await first.refusal({ t: 'hello', role: 'screen' }), 'PITV_CODE_WRONG');
  assert.ok(!first.messages.some((message) => message.t === 'lobby'), 'it gets no lobby');
  await first.ask({ t: 'hello', role: 'screen', code: tv.code.toLowerCase() }, 'welcome');
  const screen = await Client.screen(tv, { token: first.token });
  const ann = await Client.pad(tv);
  ann.send({ t: 'start', game: 'faulty' });
  const { match, mayStop } = await screen.next('watch');
  assert.equal(mayStop, true);
  await screen.moreFrames(3);
  for (const allowed of [screen.token, ann.token, tv.admin.token]) {
    assert.equal((await get(tv, match, allowed)).status, 200);
  }
  for (const refused of [undefined, 'x', screen.token.slice(1)]) {
    const answer = await get(tv, match, refused);
    assert.equal((await answer.json()).error.code, 'PITV_NOT_YOURS');
  }
  assert.equal((await screen.ask({ t: 'stop', match }, 'ended')).reason, 'stopped');
});

test('screens learn when they may stop a match and when they may not', async (t) => {
  const [tv, screen, ann] = await openRoom(t, ['Ann']);
  const other = await Client.screen(tv);
  ann.send({ t: 'start', game: 'faulty' });
  assert.equal((await screen.next('watch')).mayStop, false);
  await other.next('watch');
  ann.vanish();
  await screen.next('slots', ({ slots, mayStop }) => slots[0].player?.away && !mayStop);
  other.vanish();
  await screen.next('slots', ({ mayStop }) => mayStop);
  await ann.connect(tv);
  await screen.next('slots', ({ mayStop }) => !mayStop);
});

test('a screen that watches a match again and again sends the others nothing, and changing seats send little', async (t) => {
  const tv = await startTv(t, { games });
  const [screen, other] = [await Client.screen(tv), await Client.screen(tv)];
  const [ann, ben] = [await Client.pad(tv), await Client.pad(tv)];
  ann.send({ t: 'start', game: 'faulty' });
  const { match } = await screen.next('watch');
  await Promise.all([other, ben].map((client) => client.next(client === ben ? 'match' : 'watch')));
  const slots = () => screen.messages.filter((message) => message.t === 'slots').length;
  for (let i = 0; i < 20; i++) other.send({ t: 'watch', match });
  await other.settle();
  await screen.settle();
  assert.equal(slots(), 0);
  for (let i = 0; i < 10; i++) {
    ben.send({ t: 'leave' });
    ben.send({ t: 'join', match });
  }
  ben.send({ t: 'leave' });
  await screen.wait('slots', (message) => message.slots[1].player === null);
  assert.ok(slots() < 10, `${slots()} messages for 21 changes`);
});

test('a screen that comes back watches its match again, unless it had left the match, and may stop it', async (t) => {
  const { tv, screen, token, match } = await startMatchOfScreen(t);
  screen.vanish();
  const again = await Client.screen(tv, { token });
  assert.equal((await again.next('watch')).match, match);
  await again.moreFrames(3);

  const stranger = await Client.screen(tv);
  await stranger.settle();
  assert.equal(stranger.frames, 0);
  assert.equal((await stranger.ask({ t: 'watch', match }, 'watch')).mayStop, false);
  assert.equal(await stranger.refusal({ t: 'stop', match }), 'PITV_NOT_YOURS');

  again.send({ t: 'watch', match: null });
  await again.settle();
  again.vanish();
  const inLobby = await Client.screen(tv, { token });
  await inLobby.settle();
  assert.ok(!inLobby.messages.some(({ t: type }) => type === 'watch'));

  assert.equal((await inLobby.ask({ t: 'watch', match }, 'watch')).mayStop, true);
  inLobby.vanish();
  await tv.lobby.match(match).stop();
  const late = await Client.screen(tv, { token });
  await late.settle();
  assert.ok(!late.messages.some(({ t: type }) => type === 'watch'), 'the match is over');
});

test('a screen shows two matches with a second connection, and comes back to the first one', async (t) => {
  const { tv, screen, token, match } = await startMatchOfScreen(t);
  const ann = await Client.pad(tv);
  const { match: other } = await ann.start('faulty');
  const side = await Client.screen(tv, { token, second: other });
  assert.equal((await side.next('watch')).match, other);
  await Promise.all([side.moreFrames(3), screen.moreFrames(3)]);
  for (const [i, client] of [screen, side].entries()) {
    client.vanish();
    await until(() => tv.server.hub.screens.count === 1 - i, 'the end of the connection');
  }
  const again = await Client.screen(tv, { token });
  assert.equal((await again.next('watch')).match, match);
});

test('a second connection shows no other match, and is refused without its match', async (t) => {
  const { tv, token, match } = await startMatchOfScreen(t);
  const side = await Client.screen(tv, { token, second: match });
  await tv.lobby.match(match).stop();
  await side.next('ended');
  side.messages.length = 0;
  await tv.lobby.start('faulty', { owner: 'test' });
  await side.settle();
  assert.ok(!side.messages.some(({ t: type }) => type === 'watch'));
  for (const second of [match, null, 'x']) {
    const late = await Client.connect(tv);
    const hello = { t: 'hello', role: 'screen', token, second };
    assert.equal(await late.refusal(hello), 'PITV_MATCH_UNKNOWN');
  }
});

test('a match without players ends when no screen watches it any more, or ever has, unless the admin started it', async (t) => {
  const tv = await startTv(t, { times: { unwatchedMs: 200 } });
  const options = { bodies: 20 };
  const json = { game: 'collide', options };
  const { id } = await (await askAdmin(tv, '/matches', { method: 'POST', json })).json();
  const screen = await Client.screen(tv);
  const { match } = await screen.ask({ t: 'start', game: 'collide', options }, 'watch');
  screen.send({ t: 'watch', match: null });
  screen.send({ t: 'watch', match });
  await screen.next('watch', (message) => message.match === match);
  await screen.moreFrames(30);
  assert.equal(tv.lobby.matches.length, 2, 'it is watched again');
  screen.send({ t: 'watch', match: id });
  await screen.next('watch', (message) => message.match === id);
  screen.vanish();
  await until(() => tv.lobby.matches.length === 1, 'its end');
  await post(tv, { game: 'collide', options, code: tv.code });
  await until(() => tv.lobby.matches.length === 2, 'the other match');
  await until(() => tv.lobby.matches.length === 1, 'the end of that');
  assert.equal(tv.lobby.matches[0].id, id);
});

test('phones without a match practise on the screens that show the lobby, at most 20 times a second', async (t) => {
  const tv = await startTv(t, { games });
  const ann = await Client.pad(tv);
  assert.equal((await ann.next('lobby')).practice, false);
  const screen = await Client.screen(tv);
  await ann.next('lobby', ({ practice }) => practice);
  const [player] = tv.lobby.players.all.map(({ id }) => id);
  ann.input(127, -5);
  assert.deepEqual((await screen.next('sticks')).sticks, [{ player, x: 127, y: -5 }]);
  const began = performance.now();
  for (let y = 1; y <= 5; y++) {
    for (let x = 0; x < 10; x++) ann.input(x, y);
    await screen.next('sticks', ({ sticks: [stick] }) => stick.x === 9 && stick.y === y);
  }
  const others = screen.messages.filter(({ t: type }) => type === 'sticks').length;
  assert.ok(5 + others <= (performance.now() - began) / 50 + 1, `5 and ${others} messages`);

  ann.send({ t: 'start', game: 'faulty' });
  await screen.next('watch');
  const ben = await Client.pad(tv);
  assert.equal((await ben.next('lobby')).practice, false, 'the screen shows a match');
  screen.messages.length = 0;
  for (const pad of [ann, ben]) pad.input(9, 9);
  await screen.until(
    () => screen.frame && decodeFrame(screen.frame).bodies.x[0] === 9,
    'the input in the match',
  );
  screen.send({ t: 'watch', match: null });
  await ben.next('lobby', ({ practice }) => practice);
  for (const pad of [ann, ben]) pad.input(7, 7);
  const { sticks } = await screen.next('sticks');
  assert.deepEqual(sticks, [{ player: player + 1, x: 7, y: 7 }], 'of the phone without a match');
  screen.vanish();
  await ben.next('lobby', ({ practice }) => !practice);
});

/** @param {number} number */
const hashOf = (number) => number.toString(16).padStart(64, '0');

test('the address with the most tokens loses its oldest one', () => {
  const tokens = Object.assign(new ScreenTokens(() => false), { max: 3 });
  for (const [i, client] of ['home', 'stranger', 'stranger', 'stranger', 'other'].entries()) {
    tokens.open(hashOf(i + 1), client);
    tokens.close(hashOf(i + 1));
  }
  assert.deepEqual(tokens.hashes, [1, 4, 5].map(hashOf));
});

test('tokens of connected screens and of owners of matches are kept', () => {
  const tokens = Object.assign(new ScreenTokens((hash) => hash === hashOf(1)), { max: 2 });
  tokens.open(hashOf(1), 'a');
  tokens.close(hashOf(1));
  tokens.open(hashOf(2), 'a');
  tokens.open(hashOf(2), 'a');
  tokens.close(hashOf(2)); // one of its two connections
  for (let i = 10; i < 20; i++) {
    tokens.open(hashOf(i), 'a');
    tokens.close(hashOf(i));
  }
  assert.deepEqual(tokens.hashes, [18, 19, 2, 1].map(hashOf));
});

test('a TV accepts tokens of its earlier start and of other TVs, ignores invalid ones, and lists its own', () => {
  const tokens = Object.assign(new ScreenTokens(() => false), { max: 4 });
  tokens.restore(['', 'x', ...[1, 2, 2].map(hashOf)], true);
  tokens.restore([3, 4, 5].map(hashOf)); // of other TVs
  assert.deepEqual(tokens.hashes, [2, 3, 4, 5].map(hashOf));
  tokens.open(hashOf(4), 'a');
  tokens.open(hashOf(6), 'a');
  assert.deepEqual(tokens.own, [2, 4, 6].map(hashOf));
});

/** @param {import('../../app/tv.js').Tv} tv @param {string | number} match @param {string} [token] */
const get = (tv, match, token) =>
  fetch(`${tv.url}/api/matches/${match}/replay`, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
  });

test('a replay has the frames that a screen has got, and is there after the end', async (t) => {
  const tv = await startTv(t, { games });
  const pad = await Client.pad(tv, { name: 'Ann' });
  const { match } = await pad.start('faulty');
  assert.equal((await (await get(tv, match)).json()).error.code, 'PITV_REPLAY_EMPTY');
  const screen = await Client.screen(tv);
  screen.send({ t: 'watch', match });
  await screen.moreFrames(5);
  const answer = await get(tv, match);
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers.get('content-disposition')), /pitv-faulty-.*\.replay/);
  const { frames } = readReplay(await answer.arrayBuffer());
  assert.ok(frames.length >= 4, `${frames.length} frames`);
  assert.ok(frames[0].slots.some(({ player }) => player?.name === 'Ann'));
  await tv.lobby.match(match).stop();
  assert.equal((await get(tv, match)).status, 200);
  const unknown = await get(tv, 60000);
  assert.equal((await unknown.json()).error.code, 'PITV_MATCH_UNKNOWN');
});
