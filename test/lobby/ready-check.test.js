/** A game that a phone starts for several is announced before, and can be held. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Client, faultyGame, startTv } from '../support/tv.js';

const games = [faultyGame];
/** Longer than a test. */
const LONG_MS = 600_000;

/** @param {Client} pad @param {(starting: any) => unknown} test */
const startingOf = async (pad, test) =>
  (await pad.next('lobby', ({ starting }) => Boolean(test(starting)))).starting;

test('all see a game that is about to start, and it starts', async (t) => {
  const tv = await startTv(t, { games, times: { readyMs: 300 } });
  const screen = await Client.screen(tv);
  const [ann, ben] = [await Client.pad(tv, { name: 'Ann' }), await Client.pad(tv, { name: 'Ben' })];
  ann.send({ t: 'start', game: 'faulty' });
  for (const client of [ann, ben, screen]) {
    assert.deepEqual(await startingOf(client, Boolean), { game: 'faulty', by: 'Ann' });
  }
  await Promise.all([ann, ben].map((pad) => pad.next('match')));
  await startingOf(ben, (starting) => !starting);
  assert.equal(tv.lobby.matches.length, 1);
});

test('a second tap starts nothing else, and anybody can hold the start', async (t) => {
  const tv = await startTv(t, { games, times: { readyMs: LONG_MS } });
  const [ann, ben] = [await Client.pad(tv, { name: 'Ann' }), await Client.pad(tv, { name: 'Ben' })];
  ann.send({ t: 'start', game: 'faulty' });
  await startingOf(ben, Boolean);
  ben.send({ t: 'start', game: 'faulty' });
  await ben.settle();
  assert.equal(tv.lobby.matches.length, 0);
  ben.send({ t: 'hold' });
  const { code, message } = await ann.next('error');
  assert.deepEqual([code, message], ['PITV_START_HELD', 'Ben asks to wait.']);
  await startingOf(ben, (starting) => !starting);
  assert.equal(tv.lobby.matches.length, 0);
  ben.send({ t: 'hold' }); // there is nothing to hold
  ann.messages.length = 0;
  ben.vanish();
  await ann.next('lobby', ({ players }) => players === 1);
  ann.send({ t: 'start', game: 'faulty' });
  await ann.next('match'); // who is alone does not wait
});
