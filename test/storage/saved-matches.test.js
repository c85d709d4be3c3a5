import assert from 'node:assert/strict';
import test from 'node:test';
import { silentLog } from '../../app/log.js';
import { Sessions, decodeMatch, encodeMatch } from '../../app/storage/saved-matches.js';
import { Store } from '../../app/storage/store.js';
import { saved } from '../support/saved-match.js';
import { temporaryFolder } from '../support/tv.js';

const checkpoint = Buffer.from([1, 2, 10, 3, 10, 0, 255]); // newlines inside as well

test('a saved match comes back as it was', () => {
  const file = Buffer.concat(encodeMatch(saved, checkpoint));
  assert.deepEqual(decodeMatch(file), { saved, checkpoint });
});

test('every damaged file is refused, never half taken', () => {
  const file = Buffer.concat(encodeMatch(saved, checkpoint));
  /** @param {Buffer} bytes */
  const refused = (bytes) =>
    assert.throws(() => decodeMatch(bytes), { code: 'PITV_SAVED_INVALID' });
  for (let length = 0; length < file.length; length++) refused(file.subarray(0, length));
  for (let at = file.indexOf(10) + 1; at < file.length; at++) {
    const spoilt = Buffer.from(file);
    spoilt[at] ^= 1;
    refused(spoilt);
  }
  refused(Buffer.concat([file, Buffer.from('x')]));
  for (const odd of [
    { ...saved, id: 'x' },
    { ...saved, tokenHash: 'x' },
    { ...saved, seats: [null] },
    { ...saved, seats: [{ slot: 'a', player: 1 }] },
    { ...saved, owner: 5 },
    { ...saved, id: 65536 },
    { ...saved, tick: -1 },
    { ...saved, tick: 2 ** 32 },
    { ...saved, options: [] },
    { ...saved, options: { seed: '1' } },
    { ...saved, game: 'x'.repeat(257) },
    {
      ...saved,
      seats: [
        { slot: 0, player: 3 },
        { slot: 1, player: 3 },
      ],
    },
  ]) {
    refused(Buffer.concat(encodeMatch(/** @type {any} */ (odd), checkpoint)));
  }
});

test('matches are taken once, a spoilt one spoils no other, people are kept', async (t) => {
  const store = new Store(await temporaryFolder(t));
  const sessions = new Sessions(store, silentLog);
  const people = { savedAt: 5, players: [], screens: ['cd'.repeat(32)] };
  await sessions.save(
    [
      { saved, checkpoint },
      { saved: { ...saved, id: 8 }, checkpoint },
    ],
    people,
  );
  await store.write('matches/8.match', 'rubbish');
  assert.deepEqual(await sessions.people(), people);
  assert.deepEqual(
    (await sessions.takeMatches()).map((match) => match.saved.id),
    [7],
  );
  assert.deepEqual(await sessions.takeMatches(), []);
  await store.write('people.json', '{"format":1,"players":5}');
  assert.deepEqual(await sessions.people(), { savedAt: 0, players: [], screens: [] });
});
