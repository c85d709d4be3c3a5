import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { loadCatalog } from '../../app/packages/catalog.js';
import { createEngine } from '../../app/engine/index.js';
import { LIMITS } from '../../app/limits/table.js';
import { MATCH_MIB, RESERVE_MIB, capacity } from '../../app/lobby/capacity.js';
import { GameList } from '../../app/lobby/game-list.js';
import { Home } from '../../app/lobby/home.js';
import { Lobby } from '../../app/lobby/lobby.js';
import { PartyTable, planGames } from '../../app/lobby/party-rules.js';
import { silentLog } from '../../app/log.js';
import { hashToken } from '../../app/lobby/tokens.js';
import { faultyGame, until } from '../support/tv.js';

/**
 * @param {import('node:test').TestContext} t
 * @param {Partial<import('../../app/lobby/lobby.js').LobbyOptions>} [options]
 */
async function setUp(t, options) {
  const engine = await createEngine('thread');
  t.after(() => engine.close());
  const about = { games: [faultyGame], engine, log: silentLog, maxMatches: 4 };
  const lobby = new Lobby({ ...about, ...options });
  t.after(() => lobby.suspend());
  return lobby;
}

test('the player who starts gets the first seat, then players in the order of joining', async (t) => {
  const lobby = await setUp(t);
  const [ann, ben, cid] = ['Ann', 'Ben', 'Cid'].map((name) => lobby.players.add(name).player);
  const { match, token } = await lobby.start('faulty', { owner: 'x', first: cid });
  assert.deepEqual(match.players.map((player) => player.name).sort(), ['Ann', 'Cid']);
  assert.deepEqual([ann.match, ben.match, cid.match], [match, undefined, match]);
  assert.deepEqual(match.tokenHash, hashToken(token));
  assert.equal(ann.lastGame, 'faulty');
});

test('disconnected players and players in a match get no seat', async (t) => {
  const lobby = await setUp(t);
  const [ann, ben] = ['Ann', 'Ben'].map((name) => lobby.players.add(name).player);
  lobby.players.disconnect(ann);
  const { match: first } = await lobby.start('faulty', { owner: 'x' });
  assert.deepEqual(first.players, [ben]);
  lobby.players.connect(ann);
  const { match: second } = await lobby.start('faulty', { owner: 'x' });
  assert.deepEqual(second.players, [ann]);
  await lobby.join(ann, first.id);
  assert.deepEqual([first.players.length, ann.match], [2, first]);
  await until(() => second.end, 'the end of the empty match');
});

test('matches that are starting count, and each has its own id', async (t) => {
  const lobby = await setUp(t, { maxMatches: 2 });
  const starts = await Promise.allSettled(
    Array.from({ length: 5 }, () => lobby.start('faulty', { owner: 'x' })),
  );
  const ids = starts.flatMap((start) =>
    start.status === 'fulfilled' ? [start.value.match.id] : [],
  );
  assert.deepEqual([ids.length, new Set(ids).size], [2, 2]);
  assert.ok(ids.every((id) => id >= 1 && id <= 0xffff));
  for (const start of starts) {
    if (start.status === 'rejected') assert.equal(start.reason.code, 'PITV_CAPACITY');
  }
  await lobby.matches[0].stop();
  await lobby.start('faulty', { owner: 'x' });
});

test('an address that starts too many matches has to wait, others do not', async (t) => {
  let now = 0;
  const lobby = await setUp(t, { clock: () => now });
  /** @param {string} [client] */
  const startAndStop = async (client) => {
    const { match } = await lobby.start('faulty', { owner: 'x', client });
    await match.stop();
  };
  const { burst, perSecond } = LIMITS.matchStarts.value;
  assert.ok(burst < 100, 'this test starts so many matches');
  const refused = { code: 'PITV_START_BUSY', details: { retryAfterS: 1 / perSecond } };
  for (let i = 0; i < burst; i++) await startAndStop('a');
  await assert.rejects(startAndStop('a'), refused);
  await startAndStop('b');
  await startAndStop();
  now += 1000 / perSecond;
  await startAndStop('a');
  await assert.rejects(startAndStop('a'), refused);
});

test('a suspended lobby starts no match, and one of another game or version is not resumed', async (t) => {
  const before = await setUp(t);
  const { player } = before.players.add('Ann');
  const { match } = await before.start('faulty', { owner: 'x' });
  await until(() => match.ticks > 30, 'some ticks');
  const [{ saved, checkpoint }] = await before.suspend();
  assert.deepEqual(saved.seats, [{ slot: 0, player: player.id, presses: [0, 0] }]);
  assert.ok(saved.tick > 30);
  await assert.rejects(before.start('faulty', { owner: 'x' }), { code: 'PITV_CAPACITY' });

  const after = await setUp(t);
  await assert.rejects(after.resume({ ...saved, hash: 'other' }, checkpoint), {
    code: 'PITV_CHECKPOINT_OTHER_VERSION',
  });
  await assert.rejects(after.resume({ ...saved, game: 'none' }, checkpoint), {
    code: 'PITV_GAME_UNKNOWN',
  });
  assert.deepEqual(after.matches, []);
  const pause = { by: 'Ann', asks: true, leftMs: 60_000 };
  const next = await after.resume({ ...saved, pause }, checkpoint);
  const kept = [next.id, next.owner, next.options.seed];
  assert.deepEqual(kept, [match.id, 'x', match.options.seed]);
  assert.equal(next.paused, undefined, 'screens have no picture of it yet');
  const { by, asks, leftMs } = await until(() => next.takeFrame() && next.paused, 'the pause');
  assert.deepEqual([by, asks, leftMs <= 60_000], ['Ann', true, true]);
  const { ticks } = next;
  await delay(100);
  assert.equal(next.ticks, ticks, 'it stands still');
});

test('matches of games with bots get the strength that the lobby has, unless it is given', async (t) => {
  const games = (await loadCatalog()).filter(({ id }) => id !== 'collide');
  const lobby = await setUp(t, { games });
  const strengthOf = async (/** @type {string} */ game, /** @type {object} */ options) => {
    const { match } = await lobby.start(game, { owner: 'x', options });
    return Reflect.get(match.options, 'botStrength');
  };
  assert.equal(await strengthOf('bumper', {}), 0);
  lobby.setBotStrength(2);
  assert.equal(await strengthOf('bumper', {}), 2);
  assert.equal(await strengthOf('bumper', { botStrength: 1 }), 1);
  assert.equal(await strengthOf('swarm', {}), undefined);
  for (const odd of [3, -1, 0.5, '1', null]) {
    assert.throws(() => lobby.setBotStrength(odd), { code: 'PITV_OPTION_INVALID' });
  }
  assert.equal(lobby.botStrength, 2);
});

test('the home of a TV that is alone has a lobby and a party, and shares nothing', async (t) => {
  const engine = await createEngine('thread');
  t.after(() => engine.close());
  const home = new Home({ lobby: { games: [faultyGame], engine, log: silentLog, maxMatches: 1 } });
  t.after(() => home.lobby.suspend());
  const { match } = await home.lobby.start('faulty', { owner: 'x' });
  assert.equal(home.party.lobby, home.lobby);
  assert.deepEqual([match.isOwn, home.isWanted(match.id), home.origins], [true, false, []]);
  const refused = { code: 'PITV_NOT_FOUND' };
  await assert.rejects(home.readFile(faultyGame, 'art', 'a.png', 1), refused);
  await assert.rejects(home.drainNode('a', true), refused);
  assert.throws(() => home.describe(), refused);
});

test('the list of games has a version, and names games whose last match failed', () => {
  const games = /** @type {any[]} */ ([
    { id: 'a', hash: '1', title: 'A' },
    { id: 'b', hash: '2', title: 'B' },
  ]);
  const list = new GameList(games);
  const { version } = list;
  assert.match(version, /^[0-9a-f]{16}$/);
  const end = (/** @type {string} */ reason, game = games[0], problem = '') =>
    list.noteEnd(/** @type {any} */ ({ game, end: { reason }, problem: problem || undefined }));
  end('failed', games[0], 'A: it broke');
  end('failed', games[1]);
  end('stopped');
  assert.deepEqual(list.problems, ['A: it broke.', 'B.']);
  end('done', games[1]);
  assert.deepEqual(list.problems, ['A: it broke.']);
  list.set([...games]);
  assert.deepEqual([list.version, list.problems.length], [version, 1]);
  list.set([{ ...games[0], hash: '2' }, games[1]]);
  assert.notEqual(list.version, version);
  list.set(games.slice(1));
  assert.deepEqual([list.problems, list.games], [[], [games[1]]]);
});

const MIB = 1024 * 1024;

test('a number that is set limits the matches, or else cores and memory that is short', () => {
  const little = (RESERVE_MIB + 1.5 * MATCH_MIB) * MIB;
  for (const [maxMatches, cores, available, max, limit, why] of /** @type {const} */ ([
    [7, 1, 0, 7, 'setting', /^--max-matches 7$/],
    ['auto', 4, 8192 * MIB, 4, 'cores', /^4 cores$/],
    ['auto', 1, 8192 * MIB, 1, 'cores', /^1 core$/],
    ['auto', 8, little, 3, 'memory', /memory/], // those that run have theirs already
    ['auto', 8, 0, 2, 'memory', /memory/],
  ])) {
    const running = limit === 'memory' ? 2 : 0;
    const found = capacity({ maxMatches, running, cores, available });
    assert.deepEqual({ ...found, why: '' }, { max, running, limit, why: '' });
    assert.match(found.why, why);
  }
});

test('a party has games for several players in turn, and points for places', () => {
  const all = ['a', 'solo', 'b', 'c'].map((id) => ({
    id,
    players: { max: id === 'solo' ? 1 : 2 },
  }));
  const plan = (/** @type {any} */ games, /** @type {string | undefined} */ first = undefined) =>
    planGames(/** @type {any} */ (all), games, first);
  assert.deepEqual(plan(2), ['a', 'b']);
  assert.deepEqual(plan('9', 'c'), [...'cabcabcab']);
  for (const count of [1, 10, 2.5, 'x', undefined]) {
    assert.throws(() => plan(count), { code: 'PITV_OPTION_INVALID' });
  }
  for (const first of ['solo', 'none']) {
    assert.throws(() => plan(2, first), { code: 'PITV_GAME_UNKNOWN' });
  }
  assert.throws(() => planGames([], 2), { code: 'PITV_GAME_UNKNOWN' });
  const results = [9, 8, 8, 3, 2].map((score, i) => {
    return { player: i === 4 ? null : i, name: `${i}`, color: '', score, winner: i === 0 };
  });
  const table = new PartyTable([{ player: 3, name: 'old', color: '', points: 6 }]);
  table.add({ results });
  const lines = table.lines.map(({ name, points }) => `${name} ${points}`);
  assert.deepEqual(lines, ['3 7', '0 5', '1 3', '2 3']);
  assert.deepEqual([table.pointsOf(3), table.pointsOf(8)], [7, 0]);
});
