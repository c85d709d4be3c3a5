import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import test from 'node:test';
import { createEngine } from '../../app/engine/index.js';
import { PLAYER_FLAG, TEAM_SHIFT } from '../../app/game/frame.js';
import { Players } from '../../app/lobby/players.js';
import { hashToken } from '../../app/lobby/tokens.js';
import { silentLog } from '../../app/log.js';
import { Match } from '../../app/match/match.js';
import { EmptyTimer, Pause } from '../../app/match/timers.js';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';
import { describeEnd, placeOf, scoresOf } from '../../app/match/results.js';
import { factsOf } from '../../app/match/saved-match.js';
import { makeFrame } from '../support/frame.js';
import { faultyGame, setVariable, until } from '../support/tv.js';

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
  timer.set(true);
  t.mock.timers.tick(99);
  assert.equal(ends, 0);
  t.mock.timers.tick(1);
  assert.equal(ends, 1);
});

test('the timer runs for a match of this TV in which players may be and none is', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const [away, here] = [{ connected: false }, { connected: true }];
  const game = { players: { max: 2 } };
  for (const [about, expected] of [
    [{ players: [] }, 1],
    [{ players: [away] }, 1],
    [{ players: [away, here] }, 0],
    [{ players: [away], end: {} }, 0],
    [{ players: [away], isOwn: false }, 0],
    [{ players: [], game: { players: { max: 0 } } }, 0],
    [{ players: [], limitMs: Infinity }, 0],
  ]) {
    const { limitMs = 100, ...rest } = /** @type {any} */ (about);
    let ends = 0;
    new EmptyTimer(limitMs, () => ends++).check({ game, isOwn: true, ...rest });
    t.mock.timers.tick(1000);
    assert.equal(ends, expected, JSON.stringify(about));
  }
});

test('a pause has who began it, and ends by itself', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let late = 0;
  const pause = new Pause(100, () => late++);
  pause.ask();
  pause.set('');
  const { leftMs, ...state } = pause.state ?? { leftMs: 0 };
  assert.deepEqual(state, { by: '', asks: true });
  assert.ok(leftMs > 0 && leftMs <= 100);
  pause.set('Ann');
  assert.equal(pause.state?.asks, false, 'the request was for the pause before');
  pause.resume({ by: 'Ann', leftMs: 900, asks: true });
  pause.set('Ann');
  assert.ok(
    pause.state?.asks && pause.state.leftMs <= 100,
    'a saved pause is no longer than others',
  );
  t.mock.timers.tick(100);
  assert.equal(late, 1, 'the timer of the pause before was stopped');
  pause.set();
  t.mock.timers.tick(100);
  assert.deepEqual([late, pause.state], [1, undefined]);
});

test('a match is paused once, for a screen that wants to stop it too', async (t) => {
  const { match, player } = await setUp(t);
  let told = 0;
  match.on('pause', () => told++);
  match.join(player);
  await match.start();
  match.pause();
  assert.equal(told, 0, 'it plays already');
  match.pause('Ann');
  match.pause('Ben');
  assert.deepEqual([told, match.paused?.by, match.paused?.asks], [1, 'Ann', false]);
  match.askToStop();
  match.askToStop();
  assert.deepEqual([told, match.paused?.by, match.paused?.asks], [2, 'Ann', true]);
  match.pause();
  assert.deepEqual([told, match.paused], [3, undefined]);
  match.askToStop();
  assert.deepEqual([told, match.paused?.by, match.paused?.asks], [4, '', true]);
  const changed = once(match, 'game');
  await match.reload({ ...faultyGame, title: 'New' });
  await changed;
  assert.equal(match.game.title, 'New');
  await match.stop();
  assert.equal(match.end?.reason, 'stopped');
  match.pause('Ann');
  assert.deepEqual([told, match.paused], [4, undefined]);
});

test('the phase of a match is that of its game while its worker runs', () => {
  const worker = Object.assign(new EventEmitter(), {
    mailbox: undefined,
    ended: false,
    running: false,
    restarts: 0,
    frame: /** @type {Uint8Array | undefined} */ (undefined),
    takeFrame: () => worker.frame,
    problem: '',
    close() {},
  });
  const createWorker = () => /** @type {any} */ (worker);
  const about = { id: 1, game: faultyGame, options: {}, owner: 'test', log: silentLog };
  const engine = /** @type {any} */ (undefined);
  const match = new Match({ ...about, engine, tokenHash: hashToken(''), createWorker });
  /** @type {any[]} */
  const heard = [];
  match.on('event', (...event) => heard.push(event));
  const phases = [match.phase, match.takeFrame()];
  worker.restarts = 1;
  phases.push(match.phase);
  worker.running = true;
  phases.push(match.phase);
  for (const phase of [1, 1, 2]) {
    worker.frame = makeFrame({ phase });
    assert.equal(match.takeFrame(), worker.frame);
    phases.push(match.phase);
  }
  const names = ['play', 'play', 'roundOver'];
  assert.deepEqual(phases, ['starting', undefined, 'restarting', 'starting', ...names]);
  for (const event of ['running', 'restart', 'warning', 'frame']) worker.emit(event, event);
  const told = 'phase phase phase restart,restart warning,warning frame,frame';
  assert.equal(heard.join(' '), told);
  assert.equal(match.ticks, 0);
  assert.equal(match.problem, '');
  worker.problem = 'it is odd';
  assert.equal(match.problem, 'Faulty: it is odd');
  assert.deepEqual([match.emit('pause'), match.open], [true, true]);
  worker.ended = true;
  assert.deepEqual([match.open, match.snapshot()], [false, undefined]);
});

test('the last player who leaves ends the match, and only who has a seat leaves it', async (t) => {
  const { match, player, players } = await setUp(t);
  const { player: other } = players.add('Ben');
  let changes = 0;
  match.on('slots', () => changes++);
  match.join(player);
  assert.deepEqual([player.match, player.lastGame, match.open], [match, 'faulty', true]);
  await match.start();
  match.leave(other);
  assert.equal(changes, 1);
  match.join(other);
  assert.equal(match.open, false);
  match.disconnect(other);
  match.reconnect(other);
  match.leave(player);
  assert.deepEqual([changes, player.match, match.end], [5, undefined, undefined]);
  const ended = once(match, 'ended');
  match.leave(other);
  assert.equal((await ended)[0].reason, 'empty');
  await assert.rejects(match.start(), { code: 'PITV_MATCH_OVER' });
  await match.stop();
  assert.equal(await match.suspend(), undefined);
});

test('a match that does not start ends as failed, with the problem', async (t) => {
  setVariable(t, 'NODE_ENV', 'development');
  const game = { ...faultyGame, url: 'file:///none.js' };
  const { match, player } = await setUp(t, { game });
  match.join(player);
  await assert.rejects(match.start());
  assert.deepEqual([match.end?.reason, match.end?.results, match.pid], ['failed', [], 0]);
  assert.match(String(match.problem), /^Faulty: .*none\.js/);
  assert.equal(match.end?.problem, match.problem);
  assert.equal(player.match, undefined);
});

test('a match is described for the next start, at its newest checkpoint', async (t) => {
  const { match, player } = await setUp(t, { options: { seed: 9 } });
  match.join(player, 1, [3, 4]);
  await match.start();
  await until(() => match.snapshot()?.saved.tick, 'a checkpoint');
  match.pause('Ann');
  const saved = /** @type {any} */ (await match.suspend());
  const { tick, pause, ...facts } = saved.saved;
  assert.ok(tick > 0 && pause.leftMs > 0);
  assert.deepEqual(pause, { by: 'Ann', asks: false, leftMs: pause.leftMs });
  assert.deepEqual(facts, {
    id: 1,
    game: 'faulty',
    hash: faultyGame.hash,
    options: { seed: 9 },
    owner: 'test',
    tokenHash: hashToken('token').toString('hex'),
    locked: false,
    seats: [{ slot: 1, player: player.id, presses: [3, 4] }],
    epoch: undefined,
  });
  assert.equal(saved.checkpoint.readUInt32LE(), tick);
  const about = /** @type {any} */ ({ ...match, tokenHash: match.tokenHash });
  for (const [lock, kind, locked] of [
    [{}, 'bundled', false],
    [{}, 'folder', true],
    [undefined, 'folder', false],
  ]) {
    const game = { ...faultyGame, lock, package: { source: { kind } } };
    assert.equal(factsOf({ ...about, game }).locked, locked);
  }
  assert.equal(factsOf({ ...about, game: { ...faultyGame, lock: {} } }).locked, true);
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

test('without teams the places are those of players, and equal scores share one', () => {
  const { teams, results } = scoresOf(frame, seats);
  assert.deepEqual([teams, results[1].team], [undefined, undefined]);
  const [first, second] = results;
  const even = [first, { ...second, score: 5 }, { ...second, score: 4 }];
  const places = even.map((result) => placeOf(result, { results: even }));
  assert.deepEqual(places, [1, 1, 3]);
});

test('the problem of a match is shown in development only', (t) => {
  for (const [mode, expected] of [
    ['production', undefined],
    ['development', 'pong.js:12'],
  ]) {
    setVariable(t, 'NODE_ENV', String(mode));
    assert.equal(describeEnd('failed', { results: [] }, 'pong.js:12').problem, expected);
    assert.deepEqual(describeEnd('done', { results: [] }), {
      reason: 'done',
      message: 'The match is over.',
      results: [],
    });
  }
});
