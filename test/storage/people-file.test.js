import assert from 'node:assert/strict';
import test from 'node:test';
import { PeopleFile } from '../../app/storage/people-file.js';
import { Store } from '../../app/storage/store.js';
import { temporaryFolder } from '../support/tv.js';

const PLAYER = { id: 1, name: 'Ann', color: '#ff4d4d', tokenHash: 'ab'.repeat(32) };
const SCREEN = 'cd'.repeat(32);

const PARTY = {
  phase: /** @type {const} */ ('playing'),
  plan: ['bumper', 'swarm'],
  played: 1,
  owner: 'screen:x',
  match: 3,
  table: [{ player: 1, name: 'Ann', color: '#ff4d4d', points: 5 }],
};

test('people are loaded as they were saved', async (t) => {
  const file = new PeopleFile(new Store(await temporaryFolder(t)));
  const people = { savedAt: 5, players: [PLAYER], screens: [SCREEN] };
  for (const saved of [people, { ...people, party: PARTY, code: 'BCDFGHJKMN', botStrength: 2 }]) {
    await file.save(saved);
    assert.deepEqual(await file.load(), saved);
  }
});

test('a file that cannot be used counts as empty', async (t) => {
  const store = new Store(await temporaryFolder(t));
  for (const wrong of [
    { players: 5 },
    { savedAt: '5' },
    { players: [{ ...PLAYER, tokenHash: 'x' }] },
    { screens: ['x'] },
    { format: 2 },
    { party: 5 },
    { code: 5 },
    { botStrength: 3 },
    { party: { ...PARTY, phase: 'none' } },
    { party: { ...PARTY, played: 3 } },
    { party: { ...PARTY, plan: ['bumper', 5] } },
    { party: { ...PARTY, match: '3' } },
    { party: { ...PARTY, table: [{ ...PARTY.table[0], points: -1 }] } },
  ]) {
    const people = { format: 1, savedAt: 5, players: [], screens: [], ...wrong };
    await store.write('people.json', JSON.stringify(people));
    const loaded = await new PeopleFile(store).load();
    assert.deepEqual(loaded, { savedAt: 0, players: [], screens: [] }, JSON.stringify(wrong));
  }
});

test('only changes are written, and an unchanged file every five minutes while there are players', async (t) => {
  const store = new Store(await temporaryFolder(t));
  const write = t.mock.method(store, 'write');
  const file = new PeopleFile(store);
  const minute = 60_000;
  const start = Date.now();
  /** @type {[number, any[], number][]} minutes, players, writes so far */
  const steps = [
    [0, [], 1],
    [6, [], 1],
    [7, [PLAYER], 2],
    [8, [PLAYER], 2],
    [13, [PLAYER], 3],
    [14, [], 4],
  ];
  for (const [minutes, players, writes] of steps) {
    await file.saveChanges({ savedAt: start + minutes * minute, players, screens: [] });
    assert.equal(write.mock.callCount(), writes, `minute ${minutes}`);
  }
});

test('of too many screens the newest are saved', async (t) => {
  const file = new PeopleFile(new Store(await temporaryFolder(t)));
  const screens = Array.from({ length: 1030 }, (_, n) => n.toString(16).padStart(64, '0'));
  await file.save({ savedAt: 5, players: [], screens });
  assert.deepEqual((await file.load()).screens, screens.slice(-1024));
});
