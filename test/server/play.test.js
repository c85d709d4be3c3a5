/** Plays matches with screens and phones on a TV with real engines and games. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeFrame } from '../support/decode-frame.js';
import { BUTTON_A } from '../../app/game/input.js';
import { Client, TV_ENGINES, faultyGame, metricsOf, startTv } from '../support/tv.js';

const games = [faultyGame];

for (const engine of TV_ENGINES) {
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
    const names = watch.slots.slice(0, 2).map((/** @type {any} */ seat) => seat.player.name);
    assert.deepEqual(names, ['Ann', 'Ben']);
    const hud = await ben.next('hud', (message) => message.phase === 1);
    for (const name of ['score', 'rank', 'gauge', 'round', 'seconds']) {
      assert.equal(typeof hud[name], 'number', name);
    }
    await screen.moreFrames(1);
    const start = decodeFrame(/** @type {Buffer} */ (screen.frame));
    assert.equal(start.match, watch.match);
    const { body } = start.players[0];
    const xOf = () => {
      const { bodies } = decodeFrame(/** @type {Buffer} */ (screen.frame));
      return bodies.x[bodies.id.indexOf(body)];
    };
    const before = xOf();
    ann.input(127, 0);
    await screen.until(() => xOf() > before + 10, "movement of the pad's ball");
    assert.ok(tv.measurements().latency.count >= 1);
    const { matches } = await (await fetch(`${tv.url}/api/matches`)).json();
    const [{ players, spectators, phase }] = matches;
    assert.deepEqual([players, spectators, phase], [2, 1, 'play']);
  });
}

test('a match that a screen starts gets all idle players, and the screen can stop it', async (t) => {
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
  assert.notEqual(again.match, match, 'the screen shows the next match');
});

test('the phone that started a match may stop it after it has left, others may not', async (t) => {
  const tv = await startTv(t, { games });
  const [ann, ben] = [await Client.pad(tv), await Client.pad(tv)];
  ann.send({ t: 'start', game: 'faulty' });
  const { match } = await ann.next('match');
  ben.send({ t: 'join', match });
  await ben.next('match');
  ann.send({ t: 'leave' });
  await ann.next('lobby', ({ me, matches }) => me.match === null && matches[0]?.own);
  ben.send({ t: 'stop', match });
  assert.equal((await ben.next('error')).code, 'PITV_NOT_YOURS');
  ann.send({ t: 'stop', match: 99 });
  assert.equal((await ann.next('error')).code, 'PITV_MATCH_UNKNOWN');
  ann.send({ t: 'stop', match });
  assert.equal((await ben.next('ended')).reason, 'stopped');
});

test('when a worker fails, screen and phones get a notice, stay connected, and the match continues', async (t) => {
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
    () => screen.frame && decodeFrame(screen.frame).bodies.x[0] === 127,
    'more frames',
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
  assert.deepEqual(tv.engine.workers, []);
});
