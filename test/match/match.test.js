import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { createEngine } from '../../app/engine/index.js';
import { BUTTON_A, BUTTON_B } from '../../app/game/input.js';
import { decodeFrame } from '../support/decode-frame.js';
import { silentLog } from '../../app/log.js';
import { EmptyTimer } from '../../app/match/empty-timer.js';
import { Match } from '../../app/match/match.js';
import { Players } from '../../app/lobby/players.js';
import { hashToken } from '../../app/lobby/tokens.js';
import { TV_ENGINES, faultyGame, until } from '../support/tv.js';

/**
 * @param {import('node:test').TestContext} t
 * @param {string} engineName
 * @param {Partial<import('../../app/match/match.js').MatchOptions>} [options]
 */
async function setUp(t, engineName, options) {
  const engine = await createEngine(engineName, { heapMb: 16, hangMs: 400 });
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

/** @param {Match} match @returns {Promise<Buffer>} the next frame, copied */
const nextFrame = (match) =>
  until(() => {
    const bytes = match.takeFrame();
    return bytes && Buffer.from(bytes);
  }, 'a frame');

/** @param {Match} match @param {number} ticks */
const reaches = (match, ticks) => until(() => match.ticks >= ticks, `tick ${ticks}`);

for (const engineName of TV_ENGINES) {
  for (const [fault, buttons, reason] of /** @type {[string, number, string][]} */ ([
    ['throws', BUTTON_A, 'crashed'],
    ['hangs', BUTTON_B, 'hung'],
    ['outgrows its heap', BUTTON_A | BUTTON_B, 'out-of-memory'],
  ])) {
    test(`${engineName}: a worker that ${fault} is replaced by one that resumes from the checkpoint`, async (t) => {
      const { match, player } = await setUp(t, engineName);
      match.join(player);
      await match.start();
      await reaches(match, 60);
      const restarted = once(match, 'restart');
      match.seats.input(0, 0, 0, buttons, buttons & 1, buttons >> 1);
      const [failure] = await restarted;
      assert.equal(failure.reason, reason);
      assert.equal(match.phase, 'restarting');
      assert.equal(match.seats.slotOf(player), 0, 'the player keeps the seat');
      await until(() => match.running, 'the next worker');
      match.seats.input(0, 0, 0, 0, 0, 0);
      match.takeFrame();
      const frame = decodeFrame(await nextFrame(match));
      assert.ok(frame.tick >= 45, `from a checkpoint and not from the start: tick ${frame.tick}`);
      assert.equal(match.restarts, 1);
      assert.equal(match.end, undefined);
    });
  }
}

test('a game that is done ends its match', async (t) => {
  const { match, player } = await setUp(t, 'thread', { options: { doneAt: 10 } });
  match.join(player);
  const ended = once(match, 'ended');
  await match.start();
  const [end, players] = await ended;
  assert.equal(end.reason, 'done');
  assert.deepEqual(players, [player]);
  assert.deepEqual([match.phase, player.match, match.takeFrame()], ['ended', undefined, undefined]);
  assert.throws(() => match.join(player), { code: 'PITV_MATCH_OVER' });
  const { id, color } = player;
  assert.deepEqual(end.results, [{ player: id, name: 'Ann', color, score: 10, winner: false }]);
});

test('a match ends when no player has been connected for the limit, not before', async (t) => {
  const { match, player, players } = await setUp(t, 'thread', { limits: { emptyMs: 100 } });
  match.join(player);
  await match.start();
  players.disconnect(player);
  match.disconnect(player);
  players.connect(player);
  match.reconnect(player);
  await reaches(match, 20);
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
