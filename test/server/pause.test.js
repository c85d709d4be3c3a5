/** Phones and screens pause a match. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../app/limits/table.js';
import { Pauses } from '../../app/server/pauses.js';
import { Client, openRoom, until } from '../support/tv.js';

/** Starts a watched match. @param {import('node:test').TestContext} t @param {object} [options] of startTv() */
async function start(t, options) {
  const [tv, screen, ann, ben] = await openRoom(t, ['Ann', 'Ben'], options);
  ann.send({ t: 'start', game: 'faulty' });
  await Promise.all([ann, ben].map((pad) => pad.next('match')));
  await screen.moreFrames(1);
  const match = tv.lobby.matches[0];
  const stands = () =>
    until(async () => {
      const { ticks } = match;
      await delay(100);
      return match.ticks === ticks;
    }, 'the match stands still');
  const moves = async () => {
    const { ticks } = match;
    await until(() => match.ticks > ticks, 'the match goes on');
  };
  return { tv, screen, ann, ben, match, stands, moves };
}

test('any phone in a match pauses it, and any has it go on', async (t) => {
  const { screen, ann, ben, stands, moves, match } = await start(t);
  ben.send({ t: 'pause', on: true });
  for (const client of [screen, ann, ben]) {
    const { match: id, paused } = await client.next('pause');
    assert.deepEqual([id, paused.by], [match.id, 'Ben']);
    assert.ok(paused.leftMs > 0 && paused.leftMs <= LIMITS.matchPause.value);
  }
  await stands();
  ann.send({ t: 'pause', on: true }); // twice
  ann.send({ t: 'pause', on: false });
  for (const client of [screen, ann, ben]) {
    assert.equal((await client.next('pause')).paused, undefined);
  }
  await moves();
});

test('a screen or a phone that comes while a match is paused sees it', async (t) => {
  const { tv, ann, ben, match, stands } = await start(t);
  await ann.ask({ t: 'pause', on: true }, 'pause');
  await stands();
  const late = await Client.screen(tv);
  assert.equal((await late.ask({ t: 'watch', match: match.id }, 'watch')).paused.by, 'Ann');
  await late.until(() => late.frames > 0, 'the frame at which the match stands');
  ben.vanish();
  ben.messages.length = 0;
  await ben.connect(tv);
  assert.equal((await ben.next('match')).paused.by, 'Ann');
  await ben.next('hud');
});

test('a pause ends by itself', async (t) => {
  const { ann, moves } = await start(t, { limits: { pauseMs: 100 } });
  assert.equal((await ann.ask({ t: 'pause', on: true }, 'pause')).paused.by, 'Ann');
  assert.equal((await ann.next('pause')).paused, undefined);
  await moves();
});

test('only players and screens of a match pause it; its starter stops it at any time, others while it is paused', async (t) => {
  const { tv, ann, ben, match, moves } = await start(t);
  const carl = await Client.pad(tv, { name: 'Carl' });
  assert.equal(await carl.refusal({ t: 'pause', on: true }), 'PITV_MATCH_UNKNOWN');
  const other = await Client.screen(tv);
  other.send({ t: 'watch', match: null });
  assert.equal(await other.refusal({ t: 'pause', match: match.id, on: true }), 'PITV_NOT_YOURS');
  assert.ok(!ann.messages.some((message) => message.t === 'pause'));
  await moves();
  assert.equal(await ben.refusal({ t: 'stop' }), 'PITV_NOT_YOURS');
  ann.send({ t: 'pause', on: true });
  await ben.next('pause');
  assert.equal(
    await carl.refusal({ t: 'stop', match: match.id }),
    'PITV_NOT_YOURS',
    'he is not in the match',
  );
  ben.send({ t: 'stop' });
  assert.equal((await ann.next('ended')).reason, 'stopped');
});

test('a screen of others asks to stop a match, which stands still until its players decide', async (t) => {
  const { screen, ann, ben, match, stands, moves } = await start(t);
  const ask = () => screen.send({ t: 'pause', match: match.id, on: true, ask: true });
  ask();
  for (const client of [screen, ann, ben]) {
    const { paused } = await client.next('pause');
    assert.deepEqual([paused.by, paused.asks], ['', true]);
  }
  await stands();
  ben.send({ t: 'pause', on: false });
  await ann.next('pause');
  await moves();
  ann.send({ t: 'pause', on: true });
  assert.equal((await ben.next('pause')).paused, undefined);
  assert.equal((await ben.next('pause')).paused.asks, false, 'nobody asks any more');
  ask();
  const { paused } = await ben.next('pause');
  assert.deepEqual([paused.by, paused.asks], ['Ann', true]);
  ben.send({ t: 'stop' });
  assert.equal((await screen.next('ended')).reason, 'stopped');
});

test('screens that may not stop a match pause it a few times only, and phones go on', async (t) => {
  const { tv, ann, match, moves } = await start(t);
  for (let i = 0; i < LIMITS.screenPauses.value.burst; i++) {
    const screen = await Client.screen(tv);
    screen.send({ t: 'watch', match: match.id });
    screen.send({ t: 'pause', match: match.id, on: true });
    assert.equal((await ann.next('pause')).paused.by, '');
    assert.equal((await ann.ask({ t: 'pause', on: false }, 'pause')).paused, undefined);
  }
  const screen = await Client.screen(tv);
  screen.send({ t: 'watch', match: match.id });
  assert.equal(await screen.refusal({ t: 'pause', match: match.id, on: true }), 'PITV_PAUSE_BUSY');
  await moves();
  ann.send({ t: 'pause', on: true });
  assert.equal((await ann.next('pause')).paused.by, 'Ann', 'players are not concerned');
});

test('a phone asks others to wait some times in a row only, in a match or before it', () => {
  const pauses = new Pauses();
  const match = /** @type {any} */ ({ id: 1, pause() {} });
  const ready = /** @type {any} */ ({ pending: {}, hold() {} });
  const ann = /** @type {any} */ ({});
  const busy = { code: 'PITV_PAUSE_BUSY' };
  for (let i = 1; i < LIMITS.pauses.value.burst; i++) pauses.set(match, true, { client: 'a' });
  pauses.hold(ready, ann, 'a');
  assert.throws(() => pauses.hold(ready, ann, 'a'), busy);
  assert.throws(() => pauses.set(match, true, { client: 'a' }), busy);
  pauses.set(match, false, { client: 'a' });
  pauses.hold(ready, ann, 'b');
  pauses.hold({ ...ready, pending: undefined }, ann, 'a');
});

test('a worker that fails during a pause is replaced by one that stands still', async (t) => {
  const args = ['--engine', 'process'];
  const { ann, match, stands, moves } = await start(t, { args });
  await ann.ask({ t: 'pause', on: true }, 'pause');
  await stands();
  process.kill(match.pid, 'SIGKILL');
  await until(() => match.restarts === 1 && match.running, 'the next worker');
  await stands();
  await ann.ask({ t: 'pause', on: false }, 'pause');
  await moves();
});

test('players whose phones are away keep their seats while their match is paused', async (t) => {
  const limits = { emptyMs: 200, pauseMs: 60_000 };
  const { tv, ann, ben, match, stands } = await start(t, { limits, graceMs: 200 });
  await ann.ask({ t: 'pause', on: true }, 'pause');
  await stands();
  for (const pad of [ann, ben]) pad.vanish();
  await until(() => tv.lobby.players.all.every(({ connected }) => !connected), 'both are away');
  await delay(500);
  assert.deepEqual([match.end, tv.lobby.players.all.length], [undefined, 2]);
  match.pause();
  await until(() => match.end, 'the end of a match without players');
  await until(() => tv.lobby.players.all.length === 0, 'the end of the grace time');
});
