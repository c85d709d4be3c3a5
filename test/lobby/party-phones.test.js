/** What phones do in a party: they start one, end it, begin the next game, and come back into it. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadCatalog } from '../../app/packages/catalog.js';
import { Client, faultyGame, startTv, until } from '../support/tv.js';

const GAMES = fileURLToPath(new URL('games', import.meta.url));
/** Longer than a test. */
const LONG_MS = 600_000;
/** @type {import('../../app/packages/catalog.js').Game[]} */
let games;
before(async () => {
  games = [...(await loadCatalog(GAMES, undefined, 'open')), faultyGame];
});

/**
 * Waits for a state of the party.
 * @param {Client} client @param {(party: any) => unknown} test
 */
const partyOf = async (client, test) =>
  (await client.next('lobby', ({ party }) => party !== undefined && Boolean(test(party)))).party;

test('a phone starts a party, and only it and the admin end it', async (t) => {
  const tv = await startTv(t, { games: [faultyGame] });
  const [ann, ben] = [await Client.pad(tv, { name: 'Ann' }), await Client.pad(tv, { name: 'Ben' })];
  ann.send({ t: 'party', games: 2 });
  await Promise.all([ann, ben].map((pad) => pad.next('match')));
  assert.equal((await partyOf(ann, (party) => party?.phase === 'playing')).own, true);
  assert.equal((await partyOf(ben, (party) => party?.phase === 'playing')).own, false);
  ben.send({ t: 'end-party' });
  assert.equal((await ben.next('error')).code, 'PITV_NOT_YOURS');
  ann.send({ t: 'end-party' });
  assert.equal((await ben.next('ended')).reason, 'stopped');
  await partyOf(ann, (party) => party === null);
});

for (const message of [{ t: 'again' }, { t: 'start', game: 'instant' }]) {
  test(`between two games, ${message.t} begins the next one and no other match`, async (t) => {
    const tv = await startTv(t, { games, times: { partyRestMs: LONG_MS } });
    const screen = await Client.screen(tv);
    const pads = [await Client.pad(tv, { name: 'Ann' }), await Client.pad(tv, { name: 'Ben' })];
    screen.send({ t: 'party', games: 2, first: 'instant' });
    await Promise.all(pads.map((pad) => pad.next('ended')));
    await partyOf(screen, (party) => party?.phase === 'resting');
    for (const pad of pads) pad.messages.length = 0;
    if (message.t === 'start') screen.send(message);
    for (const pad of [...pads, ...pads]) pad.send(message);
    for (const pad of pads) assert.equal((await pad.next('match')).game, 'faulty');
    for (const client of [...pads, screen]) await client.settle();
    assert.equal(tv.lobby.matches.length, 1);
    assert.equal(tv.services.party.progress?.phase, 'playing');
  });
}

test('a phone that was away when a game began gets a seat when it is back', async (t) => {
  const tv = await startTv(t, { games: [faultyGame] });
  const screen = await Client.screen(tv);
  const [ann, ben] = [await Client.pad(tv, { name: 'Ann' }), await Client.pad(tv, { name: 'Ben' })];
  ben.vanish();
  await until(() => tv.lobby.players.all.some(({ connected }) => !connected), 'Ben is away');
  screen.send({ t: 'party', games: 2 });
  await ann.next('match');
  await partyOf(screen, (party) => party?.phase === 'playing');
  await ben.connect(tv);
  const { match, slot } = await ben.next('match');
  assert.deepEqual([match, slot], [tv.lobby.matches[0].id, 1]);
  ben.send({ t: 'leave' });
  await ben.settle();
  ben.vanish();
  await until(() => tv.lobby.players.all.some(({ connected }) => !connected), 'Ben is away again');
  ben.messages.length = 0;
  await ben.connect(tv);
  await ben.settle();
  assert.equal(tv.lobby.matches[0].players.length, 1, 'who has left stays outside');
});
