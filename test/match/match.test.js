import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { createEngine } from '../../app/engine/index.js';
import { PLAYER_FLAG, TEAM_SHIFT } from '../../app/game/frame.js';
import { Players } from '../../app/lobby/players.js';
import { hashToken } from '../../app/lobby/tokens.js';
import { silentLog } from '../../app/log.js';
import { EmptyTimer } from '../../app/match/empty-timer.js';
import { Match } from '../../app/match/match.js';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';
import { describeEnd, placeOf, scoresOf } from '../../app/match/results.js';
import { makeFrame } from '../support/frame.js';
import { faultyGame, until } from '../support/tv.js';

/**
 * @param {import('node:test').TestContext} t
 * @param {Partial<import('../../app/match/match.js').MatchOptions>} [options]
 */
async function setUp(t, options) {
  const engine = await createEngine('thread');
  t.after(() => engine.close());
  const about = { id: 1, game: faultyGame, options: {}, engine, log: silentLog };
  const tokenHash = hashToken('token');
  const match = new Match({ ...about, owner: 'test', tokenHash, ...options });
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

const { present, bot, winner, team } = PLAYER_FLAG;
const [reds, blues] = [0, 1].map((number) => number << TEAM_SHIFT);
const ann = { id: 7, name: 'Ann', color: PLAYER_COLORS[4] };
const seats = /** @type {any} */ ({ playerAt: (/** @type {number} */ slot) => [ann][slot] });
const frame = makeFrame({
  players: [
    { score: 2, flags: present | blues | winner },
    { score: 5, flags: bot | reds },
    {},
    { score: 1, flags: team | reds },
    { score: 3, flags: team | blues | winner },
  ],
});

test('the results of a game with teams have the teams, and the team of each player', () => {
  const teams = [
    { name: 'Reds', color: '#ff4d4d' },
    { name: 'Blues', color: '#4da3ff' },
  ];
  const end = describeEnd('done', scoresOf(frame, seats, teams));
  assert.deepEqual(end.teams, [
    { name: 'Reds', color: '#ff4d4d', score: 1, winner: false },
    { name: 'Blues', color: '#4da3ff', score: 3, winner: true },
  ]);
  assert.deepEqual(end.results, [
    { player: null, name: 'Bot', color: PLAYER_COLORS[1], score: 5, winner: false, team: 0 },
    { player: 7, name: 'Ann', color: ann.color, score: 2, winner: true, team: 1 },
  ]);
  const places = end.results.map((result) => placeOf(result, end));
  assert.deepEqual(places, [2, 1], 'places are those of the teams');
});
