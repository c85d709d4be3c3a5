import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { createEngine } from '../../app/engine/index.js';
import { silentLog } from '../../app/log.js';
import { EmptyTimer } from '../../app/match/empty-timer.js';
import { Match } from '../../app/match/match.js';
import { Players } from '../../app/lobby/players.js';
import { hashToken } from '../../app/lobby/tokens.js';
import { faultyGame, until } from '../support/tv.js';

/**
 * @param {import('node:test').TestContext} t
 * @param {Partial<import('../../app/match/match.js').MatchOptions>} [options]
 */
async function setUp(t, options) {
  const engine = await createEngine('thread');
  t.after(() => engine.close());
  const match = new Match({
    id: 1,
    game: faultyGame,
    engine,
    options: {},
    owner: 'test',
    tokenHash: hashToken('token'),
    log: silentLog,
    ...options,
  });
  t.after(() => match.stop());
  const players = new Players();
  t.after(() => players.close());
  const { player } = players.add('Ann');
  return { match, players, player };
}

test('a game that is done ends its match', async (t) => {
  const { match, player } = await setUp(t, { options: { doneAt: 10 } });
  match.join(player);
  const ended = once(match, 'ended');
  await match.start();
  const [end, players] = await ended;
  assert.deepEqual([end.reason, end.teams], ['done', undefined]);
  assert.deepEqual(players, [player]);
  assert.deepEqual([match.phase, player.match, match.takeFrame()], ['ended', undefined, undefined]);
  assert.throws(() => match.join(player), { code: 'PITV_MATCH_OVER' });
  const { id, color } = player;
  assert.deepEqual(end.results, [{ player: id, name: 'Ann', color, score: 10, winner: false }]);
});

test('a match ends when no player has been connected for the limit, not before', async (t) => {
  const { match, player, players } = await setUp(t, { limits: { emptyMs: 100 } });
  match.join(player);
  await match.start();
  players.disconnect(player);
  match.disconnect(player);
  players.connect(player);
  match.reconnect(player);
  await until(() => match.ticks >= 20, '20 ticks');
  assert.equal(match.end, undefined);
  const ended = once(match, 'ended');
  players.disconnect(player);
  match.disconnect(player);
  assert.equal((await ended)[0].reason, 'empty');
});

test('one player who returns is enough to stop the timer of an empty match', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let ends = 0;
  const timer = new EmptyTimer(100, () => ends++);
  timer.set(true);
  timer.set(true); // another player is disconnected
  timer.set(false);
  t.mock.timers.tick(100);
  assert.equal(ends, 0);
});
