/** Parties on a TV with real matches. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Venue } from '../../app/lobby/venue.js';
import { loadCatalog } from '../../app/packages/catalog.js';
import { gameFolder, gameSource } from '../support/game-files.js';
import { Client, faultyGame, openRoom, startTv, temporaryFolder, until } from '../support/tv.js';

const GAMES = fileURLToPath(new URL('games', import.meta.url));
/** A game that is over at once, and then a long one. @type {import('../../app/packages/catalog.js').Game[]} */
let both;
/** @type {import('../../app/packages/catalog.js').Game[]} */
let games;
before(async () => {
  games = await loadCatalog(GAMES, undefined, 'open');
  both = [...games, faultyGame];
});

/** @typedef {NonNullable<import('../../app/lobby/party.js').Party['state']>} PartyState */

/**
 * Waits for a state of the party.
 * @param {Client} client @param {(party: PartyState | null) => unknown} test
 * @returns {Promise<any>} the party in the client's lobby message
 */
const partyOf = async (client, test) =>
  (await client.next('lobby', ({ party }) => party !== undefined && Boolean(test(party)))).party;

test('a party plays its games in turn and adds up points', async (t) => {
  const options = { games, times: { partyRestMs: 20 } };
  const [tv, screen, ann, ben] = await openRoom(t, ['Ann', 'Ben'], options);
  const start = t.mock.method(tv.lobby, 'start');
  screen.send({ t: 'party', games: 3 });
  for (let i = 0; i < 3; i++) {
    await ann.next('match');
    assert.equal((await ann.next('ended')).reason, 'done');
  }
  const counted = start.mock.calls.map((call) => call.arguments[1].client !== undefined);
  assert.deepEqual(counted, [true, false, false], 'only the first game counts as a start');
  const over = await partyOf(screen, (party) => party?.phase === 'over');
  assert.deepEqual([over.played, over.games, over.next], [3, 3, null]);
  const points = over.table.map((/** @type {any} */ line) => `${line.name} ${line.points}`);
  assert.deepEqual(points, ['Ann 15', 'Ben 9']);
  const own = await partyOf(ben, (party) => party?.phase === 'over');
  assert.deepEqual([own.points, own.table], [9, undefined], 'a phone gets its own points only');
  await ann.settle();
  assert.equal(tv.lobby.matches.length, 0);
  screen.send({ t: 'end-party' });
  assert.equal(await partyOf(screen, (party) => party === null), null);
});

test('the screen that started a party ends it at once, another one after the game', async (t) => {
  const [tv, owner] = await openRoom(t, ['Ann']);
  const other = await Client.screen(tv);
  await owner.ask({ t: 'party', games: 2 }, 'watch');
  await partyOf(other, (party) => party?.phase === 'playing');
  assert.equal(await other.refusal({ t: 'party', games: 2 }), 'PITV_PARTY_RUNNING');
  assert.equal((await other.ask({ t: 'end-party' }, 'notice')).code, 'lastGame');
  await partyOf(owner, (party) => party?.games === 1);
  assert.equal(tv.lobby.matches.length, 1, 'its players play on');
  const { reason } = await owner.ask({ t: 'end-party' }, 'ended');
  assert.equal(reason, 'stopped');
  assert.equal(await partyOf(owner, (party) => party === null), null, 'nobody has points');
});

test('a party goes on after a game that does not start', async (t) => {
  const source = gameSource('broken', { fields: "setUpRound() { throw new Error('no'); }," });
  const broken = await loadCatalog(gameFolder({ 'broken.js': source }), undefined, 'open');
  const options = { games: [...games, ...broken], times: { partyRestMs: 20 } };
  const [tv, screen] = await openRoom(t, ['Ann'], options);
  const start = t.mock.method(tv.lobby, 'start');
  screen.send({ t: 'party', games: 3, first: 'instant' });
  await partyOf(screen, (party) => party?.phase === 'over');
  const started = start.mock.calls.map((call) => call.arguments[0]);
  assert.deepEqual(started, ['instant', 'broken', 'instant']);
});

/** Time for a phone to come back to a restarted TV on a busy machine. */
const RECONNECT_MS = 3000;

test('a party goes on after a restart in a pause, during a game, or without the game', async (t) => {
  const dataDir = temporaryFolder();
  const options = { dataDir, games: both, times: { partyRestMs: 60_000 } };
  const [tv, screen, ann] = await openRoom(t, ['Ann'], options);
  screen.send({ t: 'party', games: 3, first: 'instant' });
  await ann.next('ended');
  await partyOf(screen, (party) => party?.phase === 'resting');
  await tv.stop();

  options.times.partyRestMs = RECONNECT_MS;
  const second = await startTv(t, options);
  ann.messages.length = 0;
  await ann.connect(second);
  const { match, game } = await ann.next('match');
  assert.equal(game, 'faulty');
  await second.stop();

  const again = await startTv(t, options);
  ann.messages.length = 0;
  await ann.connect(again);
  assert.equal((await ann.next('match')).match, match);
  const { phase, played, table } = await partyOf(await Client.screen(again), (party) => party);
  assert.deepEqual([phase, played, table[0].name, table[0].points], ['playing', 1, 'Ann', 5]);
  assert.equal(again.services.party.owner, tv.services.party.owner);
  await again.stop();

  const third = await startTv(t, { ...options, games });
  await ann.connect(third);
  assert.equal((await ann.next('match')).game, 'instant');
  const over = await partyOf(await Client.screen(third), (party) => party?.phase === 'over');
  assert.deepEqual([over.played, over.table[0].points], [3, 10]);
  await third.stop();

  const fourth = await startTv(t, { dataDir, games });
  await ann.connect(fourth);
  await ann.settle();
  assert.equal(fourth.services.party.state, null, 'the table does not come back');
});

/**
 * Starts a party of three games, and waits for the pause after the first one.
 * @param {import('node:test').TestContext} t
 */
async function startResting(t) {
  const options = { games: both, times: { partyRestMs: 600_000 } };
  const [tv, screen, ann, ben] = await openRoom(t, ['Ann', 'Ben'], options);
  screen.send({ t: 'party', games: 3, first: 'instant' });
  await partyOf(screen, (party) => party?.phase === 'resting');
  for (const client of [screen, ann, ben]) client.messages.length = 0;
  return { tv, screen, ann, ben };
}

for (const [what, close] of /** @type {[string, (tv: any, screen: Client) => unknown][]} */ ([
  ['by another screen', (_tv, screen) => screen.send({ t: 'end-party' })],
  ['by the next match', (tv) => tv.lobby.start('faulty', { owner: 'x' })],
])) {
  test(`the table of a party that is over is closed ${what}`, async (t) => {
    const { tv, screen } = await startResting(t);
    const other = await Client.screen(tv);
    other.send({ t: 'end-party' });
    await partyOf(other, (party) => party?.phase === 'over');
    await close(tv, other);
    await partyOf(screen, (party) => party === null);
  });
}

test('a phone starts a party, and only it and the admin end it', async (t) => {
  const [, , ann, ben] = await openRoom(t, ['Ann', 'Ben']);
  ann.send({ t: 'party', games: 2 });
  await Promise.all([ann, ben].map((pad) => pad.next('match')));
  assert.equal((await partyOf(ann, (party) => party?.phase === 'playing')).own, true);
  assert.equal((await partyOf(ben, (party) => party?.phase === 'playing')).own, false);
  assert.equal(await ben.refusal({ t: 'end-party' }), 'PITV_NOT_YOURS');
  ann.send({ t: 'end-party' });
  assert.equal((await ben.next('ended')).reason, 'stopped');
  await partyOf(ann, (party) => party === null);
});

for (const message of [{ t: 'again' }, { t: 'start', game: 'instant' }]) {
  test(`between two games, ${message.t} begins the next one and no other match`, async (t) => {
    const { tv, screen, ann, ben } = await startResting(t);
    const pads = [ann, ben];
    const late = await partyOf(await Client.screen(tv), (party) => party);
    assert.ok(
      late.leftMs > 0 && late.leftMs < late.restMs,
      'a page that is reloaded shows the rest',
    );
    if (message.t === 'start') screen.send(message);
    for (const pad of [...pads, ...pads]) pad.send(message);
    for (const pad of pads) assert.equal((await pad.next('match')).game, 'faulty');
    for (const client of [...pads, screen]) await client.settle();
    assert.equal(tv.lobby.matches.length, 1);
    assert.equal(tv.services.party.progress?.phase, 'playing');
  });
}

test('a phone that was away when a game began gets a seat when it is back', async (t) => {
  const [tv, screen, ann, ben] = await openRoom(t, ['Ann', 'Ben']);
  ben.vanish();
  await until(() => tv.lobby.players.all.some(({ connected }) => !connected), 'Ben is away');
  screen.send({ t: 'party', games: 2 });
  await ann.next('match');
  await partyOf(screen, (party) => party?.phase === 'playing');
  await ben.connect(tv);
  const { match, slot } = await ben.next('match');
  assert.deepEqual([match, slot], [tv.lobby.matches[0].id, 1]);
});

test('who leaves while the game of a party starts stays outside, and nobody waits for one that has failed', async (t) => {
  const options = { times: { partyRestMs: 600_000 } };
  const [{ lobby, services }, screen] = await openRoom(t, ['Ann', 'Ben'], options);
  const [ann, ben] = lobby.players.all;
  const begin = lobby.begin.bind(lobby);
  const begun = t.mock.method(lobby, 'begin', async (/** @type {any} */ need) => {
    const match = await begin(need);
    await lobby.leave(ben);
    return match;
  });
  screen.send({ t: 'party', games: 2 });
  await until(() => services.party.progress && !services.party.isBetweenGames, 'the first game');
  await screen.settle();
  assert.deepEqual(lobby.matches[0].players, [ann]);
  await lobby.matches[0].stop(); // the party ends
  /** @type {any} */
  let ended;
  const endBy = (/** @type {string} */ reason) =>
    begun.mock.mockImplementation(async (/** @type {any} */ need) => {
      ended = await begin(need);
      await ended.stop(reason);
      return ended;
    });
  endBy('failed');
  screen.send({ t: 'party', games: 3 });
  await until(() => services.party.progress?.phase === 'resting', 'the pause');
  assert.equal(lobby.waiting.placeOf(ann, ended), 0);
  endBy('stopped');
  await services.party.next();
  assert.equal(services.party.progress, null, 'who stops the match ends the party');
});

test('a party begins no game that is gone, none after the opening hours, and none without players', async (t) => {
  const { tv, screen, ann } = await startResting(t);
  tv.lobby.setGames(games);
  ann.send({ t: 'again' });
  const over = await partyOf(screen, (party) => party?.phase !== 'playing' && party?.played === 2);
  assert.deepEqual([over.phase, over.games, over.table[0].points], ['over', 2, 10]);
  screen.send({ t: 'party', games: 2, first: 'instant' });
  await partyOf(screen, (party) => party?.phase === 'resting');
  const hours = { from: 9 * 60, to: 17 * 60 };
  tv.lobby.venue = new Venue({ openingHours: hours, now: () => new Date('2026-11-28T17:00') });
  ann.send({ t: 'again' });
  await partyOf(screen, (party) => party?.phase === 'over');
  tv.lobby.venue = new Venue();
  screen.send({ t: 'party', games: 2, first: 'instant' });
  await partyOf(screen, (party) => party?.phase === 'resting');
  for (const player of tv.lobby.players.all) tv.lobby.players.remove(player);
  await tv.services.party.next();
  assert.equal(tv.services.party.progress?.phase, 'over');
});

test('the table of a party that is ended while a game starts is shown', async (t) => {
  const { tv, screen, ann } = await startResting(t);
  const { lobby, services } = tv;
  const begin = lobby.begin.bind(lobby);
  t.mock.method(lobby, 'begin', async (/** @type {any} */ need) => {
    await services.party.stop(services.party.owner);
    return begin(need);
  });
  ann.send({ t: 'again' });
  assert.equal((await ann.next('ended')).reason, 'stopped');
  await screen.settle();
  assert.equal(services.party.progress?.phase, 'over');
});
