/** What screens and phones see of a TV, from the hello to the end of a match; real engines and games. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeFrame } from '../../app/game/frame.js';
import { BUTTON_A } from '../../app/game/input.js';
import { Client, faultyGame, metricsOf, startTv, until } from '../support/tv.js';

const games = [faultyGame];

test('a screen is shown the code, the addresses, the QR code and who is in', async (t) => {
  const tv = await startTv(t);
  const screen = await Client.connect(tv, { t: 'hello', role: 'screen' });
  const welcome = await screen.next('welcome');
  assert.equal(welcome.role, 'screen');
  assert.equal(welcome.name, 'pitv');
  const lobby = await screen.next('lobby');
  assert.equal(lobby.code, tv.code);
  assert.equal(lobby.joinUrl, `http://127.0.0.1:${tv.port}/p?c=${tv.code}`);
  assert.deepEqual(lobby.urls, [`http://127.0.0.1:${tv.port}`]);
  assert.match(lobby.qr, /^<svg/);
  assert.deepEqual([lobby.players, lobby.matches], [[], []]);
  assert.equal(lobby.capacity.max, 8);
  const pad = await Client.pad(tv, { name: 'Ann' });
  const { players } = await screen.next('lobby', (message) => message.players.length === 1);
  assert.equal(players[0].name, 'Ann');
  assert.deepEqual([players[0].match, players[0].connected], [null, true]);
  pad.send({ t: 'name', name: 'Ben' });
  await screen.next('lobby', (message) => message.players[0]?.name === 'Ben');
});

for (const engine of ['thread', 'process']) {
  test(`${engine}: two phones play bumper on a screen`, async (t) => {
    const tv = await startTv(t, { args: ['--engine', engine] });
    const screen = await Client.screen(tv);
    const ann = await Client.pad(tv, { name: 'Ann' });
    const ben = await Client.pad(tv, { name: 'Ben' });
    const lobby = await ann.next('lobby');
    assert.ok(lobby.games.some((/** @type {any} */ game) => game.id === 'bumper'));
    assert.ok(!lobby.games.some((/** @type {any} */ game) => game.id === 'collide'));
    ann.send({ t: 'start', game: 'bumper' });
    const watch = await screen.next('watch');
    assert.equal(watch.game, 'bumper');
    const [annIn, benIn] = await Promise.all([ann.next('match'), ben.next('match')]);
    assert.deepEqual([annIn.slot, benIn.slot], [0, 1]);
    assert.equal(annIn.match, watch.match);
    assert.ok(annIn.controls.stick);
    assert.deepEqual(
      watch.slots.slice(0, 2).map((/** @type {any} */ seat) => seat.player.name),
      ['Ann', 'Ben'],
    );
    const hud = await ben.next('hud', (message) => message.phase === 1);
    for (const name of ['score', 'rank', 'gauge', 'round', 'seconds']) {
      assert.equal(typeof hud[name], 'number', name);
    }
    const start = decodeFrame(/** @type {Buffer} */ (screen.frame));
    assert.equal(start.match, watch.match);
    const { body } = start.players[0];
    const xOf = () => {
      const { bodies } = decodeFrame(/** @type {Buffer} */ (screen.frame));
      return bodies.x[bodies.id.indexOf(body)];
    };
    const before = xOf();
    ann.input(127, 0);
    await screen.until(() => xOf() > before + 10, 'the ball that the pad pushes to move');
    assert.ok(tv.measurements().latency.count >= 1);
    const { matches } = await (await fetch(`${tv.url}/api/matches`)).json();
    assert.deepEqual([matches[0].players, matches[0].spectators], [2, 1]);
  });
}

test('a screen starts a game, everybody idle is in, and it may stop it', async (t) => {
  const tv = await startTv(t, { games });
  const screen = await Client.screen(tv);
  const ann = await Client.pad(tv, { name: 'Ann' });
  screen.send({ t: 'start', game: 'faulty' });
  const { match } = await screen.next('watch');
  await ann.next('match', (message) => message.match === match);
  await screen.moreFrames(3);
  screen.send({ t: 'stop', match });
  const ended = await screen.next('ended');
  assert.deepEqual([ended.match, ended.reason], [match, 'stopped']);
  assert.equal(ended.results[0].name, 'Ann');
  assert.equal((await ann.next('ended')).reason, 'stopped');
  ann.send({ t: 'again' });
  const again = await screen.next('watch');
  assert.notEqual(again.match, match, 'the screen is taken along again');
});

test('two presses on start make one match', async (t) => {
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

test('a phone joins a match that runs, leaves it, and the screen is told', async (t) => {
  const tv = await startTv(t, { games });
  const screen = await Client.screen(tv);
  const ann = await Client.pad(tv, { name: 'Ann' });
  ann.send({ t: 'start', game: 'faulty' });
  const { match } = await screen.next('watch');
  const ben = await Client.pad(tv, { name: 'Ben' });
  const lobby = await ben.next('lobby');
  assert.deepEqual(lobby.matches, [{ id: match, title: 'Faulty', open: true }]);
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
  assert.equal(tv.lobby.matches.length, 1, 'the match goes on with Ann');
});

test('a phone that drops and comes back with its token is the same player in the same match', async (t) => {
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
    () => decodeFrame(/** @type {Buffer} */ (screen.frame)).bodies.x[0] === 127,
    'the input of the phone that came back',
  );
});

test('a phone that is gone for good frees its place, and an empty match ends', async (t) => {
  const tv = await startTv(t, { games, graceMs: 100 });
  const screen = await Client.screen(tv);
  const ann = await Client.pad(tv);
  ann.send({ t: 'start', game: 'faulty' });
  await ann.next('match');
  ann.vanish();
  assert.equal((await screen.next('ended')).reason, 'empty');
  await screen.next('lobby', ({ players, matches }) => players.length + matches.length === 0);
});

test('the same player from a second tab: the newer one plays, the older one is told', async (t) => {
  const tv = await startTv(t, { games });
  const ann = await Client.connect(tv, { t: 'hello', role: 'pad', code: tv.code });
  const { token } = await ann.next('welcome');
  ann.send({ t: 'start', game: 'faulty' });
  await ann.next('match');
  const second = await Client.connect(tv, { t: 'hello', role: 'pad', token });
  assert.equal((await second.next('welcome')).resumed, true);
  assert.equal((await ann.whenClosed()).code, 4000);
  assert.equal(tv.lobby.players.all[0].connected, true, 'the end of the old one changes nothing');
});

test('screens choose what they watch', async (t) => {
  const tv = await startTv(t, { games });
  const watcher = await Client.screen(tv);
  const pads = [await Client.pad(tv), await Client.pad(tv), await Client.pad(tv)];
  pads[0].send({ t: 'start', game: 'faulty' });
  const first = await watcher.next('watch');
  await pads[0].next('match');
  pads[2].send({ t: 'start', game: 'faulty' });
  const { match: second } = await pads[2].next('match');
  assert.equal(
    watcher.messages.some((message) => message.t === 'watch'),
    false,
  );
  watcher.send({ t: 'watch', match: second });
  assert.equal((await watcher.next('watch')).match, second);
  watcher.send({ t: 'watch', match: null });
  assert.equal((await watcher.next('watch')).match, null);
  await watcher.settle();
  const { frames } = watcher;
  const matches = tv.lobby.matches.map((match) => [match, match.ticks]);
  await until(
    () => matches.every(([match, ticks]) => /** @type {any} */ (match).ticks > Number(ticks) + 10),
    'ten ticks',
  );
  await watcher.settle();
  assert.equal(watcher.frames, frames, 'who watches nothing gets no frames');
  assert.notEqual(first.match, second);
});

test('every screen gets the same bytes, and a phone none of them', async (t) => {
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

test('a worker fails: screen and phones are told, keep their connections, and the game goes on', async (t) => {
  const tv = await startTv(t, { games });
  const screen = await Client.screen(tv);
  const ann = await Client.pad(tv);
  ann.send({ t: 'start', game: 'faulty' });
  const { match } = await ann.next('match');
  await ann.next('hud');
  ann.input(0, 0, BUTTON_A, 1, 0);
  assert.equal((await ann.next('notice')).level, 'warning');
  await screen.next('notice');
  ann.input(127, 0, 0, 1, 0);
  await screen.until(
    () => decodeFrame(/** @type {Buffer} */ (screen.frame)).bodies.x[0] === 127,
    'the game to go on',
  );
  assert.equal(tv.lobby.matches[0].id, match);
  const metrics = await metricsOf(tv);
  assert.equal(metrics.get('pitv_restarts_total{reason="crashed"}'), 1);
  assert.equal(metrics.get('pitv_clients{role="pad"}'), 1);
});

test('the third failure ends the match with a message on screen and phone', async (t) => {
  const tv = await startTv(t, { games });
  const screen = await Client.screen(tv);
  const ann = await Client.pad(tv);
  screen.send({ t: 'start', game: 'faulty', options: { throwAt: 10 } });
  for (const client of [screen, ann]) {
    const ended = await client.next('ended');
    assert.equal(ended.reason, 'failed');
    assert.match(ended.message, /failed/);
  }
  const metrics = await metricsOf(tv);
  assert.equal(metrics.get('pitv_restarts_total{reason="crashed"}'), 3);
  assert.equal(metrics.get('pitv_matches_ended_total{reason="failed"}'), 1);
});

test('no room for another match: who asked is told why', async (t) => {
  const tv = await startTv(t, { games, args: ['--max-matches', '1'] });
  const [ann, ben, cid] = [await Client.pad(tv), await Client.pad(tv), await Client.pad(tv)];
  ann.send({ t: 'start', game: 'faulty' });
  await Promise.all([ann.next('match'), ben.next('match')]);
  cid.send({ t: 'start', game: 'faulty' });
  const error = await cid.next('error');
  assert.equal(error.code, 'PITV_CAPACITY');
  assert.match(error.message, /1 of 1.*--max-matches 1/);
});

test('with --screen-access code a screen enters the code once', async (t) => {
  const tv = await startTv(t, { games, args: ['--screen-access', 'code'] });
  const screen = await Client.connect(tv, { t: 'hello', role: 'screen' });
  assert.equal((await screen.next('error')).code, 'PITV_CODE_WRONG');
  assert.ok(!screen.messages.some((message) => message.t === 'lobby'), 'and learns nothing');
  screen.send({ t: 'hello', role: 'screen', code: tv.code.toLowerCase() });
  const { token } = await screen.next('welcome');
  const again = await Client.connect(tv, { t: 'hello', role: 'screen', token });
  await again.next('welcome');
});

test('a screen that is loaded anew may still stop what it started; another one may not', async (t) => {
  const tv = await startTv(t, { games });
  const screen = await Client.connect(tv, { t: 'hello', role: 'screen' });
  const { token } = await screen.next('welcome');
  await Client.pad(tv);
  screen.send({ t: 'start', game: 'faulty' });
  const { match } = await screen.next('watch');
  const other = await Client.screen(tv);
  other.send({ t: 'stop', match });
  assert.equal((await other.next('error')).code, 'PITV_NOT_YOURS');
  screen.vanish();
  const again = await Client.screen(tv, { token });
  again.send({ t: 'watch', match });
  again.send({ t: 'stop', match });
  assert.equal((await again.next('ended')).reason, 'stopped');
});
