/** Every file in the data directory that a starting TV reads, with any content. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { openAdminAccess } from '../../../app/admin/access.js';
import { Persistence } from '../../../app/storage/persistence.js';
import { silentLog } from '../../../app/log.js';
import { Players } from '../../../app/lobby/players.js';
import { PLAYER_COLORS } from '../../../app/match/player-colors.js';
import { Store } from '../../../app/storage/store.js';
import {
  edited,
  jsonBytes,
  nearly,
  oddNumber,
  oddValue,
  randomBytes,
  weighted,
} from '../support/arbitraries.js';
import { fileOf } from '../../support/saved-match.js';
import { withinCpuTime } from '../support/cpu-time.js';

/** The limit for the CPU time of two starts with a hundred small files. */
const START_MS = 5000;

/** The number of matches. */
const COPIES = 12;
const HASH = 'c0'.repeat(32);

/** @typedef {{path: string, kind: 'file' | 'folder' | 'link', bytes: Buffer}} SavedFile */

const id = fc.oneof(fc.nat(9), oddNumber);

const player = nearly({
  id,
  name: fc.string({ maxLength: 20 }),
  color: fc.constant('#ff4d4d'),
  tokenHash: fc.constant(HASH),
  lastGame: fc.constant('bumper'),
});
const people = nearly({
  format: fc.constant(1),
  savedAt: fc.constant(Date.now()),
  players: fc.array(weighted([4, player], [1, oddValue]), { maxLength: 4 }),
  screens: fc.array(fc.oneof(fc.constant(HASH), oddValue), { maxLength: 4 }),
});

const seat = nearly({ slot: fc.nat(7), player: id });
const seats = fc.array(weighted([4, seat], [1, oddValue]), { maxLength: 3 });
/** The decompressed content. */
const match = fc
  .tuple(
    nearly({
      id,
      game: fc.constantFrom('bumper', 'swarm', 'collide'),
      hash: fc.constant('abc'),
      options: fc.dictionary(fc.string({ maxLength: 6 }), oddValue, { maxKeys: 2 }),
      owner: fc.constant('api'),
      tokenHash: fc.constant(HASH),
      tick: id,
      seats,
    }),
    randomBytes(64),
  )
  .map(([saved, checkpoint]) =>
    Buffer.concat([Buffer.from(`${JSON.stringify({ format: 1, ...saved })}\n`), checkpoint]),
  );
/** The checksum is right, so that the reader checks the fields. */
const live = weighted([4, match], [1, randomBytes(64)]).map(fileOf);

const record = nearly({
  scheme: fc.constant('scrypt'),
  N: fc.constantFrom(2, 16384, 3),
  r: fc.constant(8),
  p: fc.constant(1),
  salt: fc.constant(Buffer.alloc(16).toString('base64')),
  hash: fc.constant(Buffer.alloc(32).toString('base64')),
});
const session = nearly({ hash: fc.constant(HASH), end: fc.nat(), salt: fc.constant('AAAA') });
const adminSessions = nearly({
  name: fc.constant('01234567'),
  sessions: fc.array(weighted([3, session], [1, oddValue]), { maxLength: 40 }),
});
/** @type {Record<string, import('fast-check').Arbitrary<Buffer>>} contents by path in the data directory */
const CONTENTS = {
  'people.json': jsonBytes(people),
  'tries.json': jsonBytes(nearly({ 7: fc.nat(4), 8: id })),
  'admin-sessions.json': jsonBytes(adminSessions),
  'admin-password': jsonBytes(nearly({ password: record, taken: record })),
  'admin-token': fc.constant(Buffer.from('A'.repeat(32))),
  ...Object.fromEntries(
    Array.from({ length: COPIES }, (_, n) => [
      [`live/${n}.a`, live],
      [`live/${n}.b`, live],
    ]).flat(),
  ),
};

/** @param {string} path @param {import('fast-check').Arbitrary<Buffer>} valid */
const file = (path, valid) =>
  fc.record({
    path: fc.constant(path),
    kind: weighted([20, fc.constant('file')], [1, fc.constantFrom('folder', 'link')]),
    bytes: fc.oneof(valid, edited(valid), jsonBytes(oddValue), randomBytes(200)),
  });

/** @type {import('fast-check').Arbitrary<SavedFile>} */
const savedFile = fc.oneof(...Object.entries(CONTENTS).map(([path, valid]) => file(path, valid)));

/** @param {string} directory @param {SavedFile[]} files */
function lay(directory, files) {
  for (const { path, kind, bytes } of files) {
    const at = join(directory, path);
    rmSync(at, { recursive: true, force: true });
    mkdirSync(dirname(at), { recursive: true });
    if (kind === 'folder') mkdirSync(at);
    else if (kind === 'link') symlinkSync(bytes.length % 2 ? '/dev/null' : 'nowhere', at);
    else writeFileSync(at, bytes);
  }
}

/** Reads people and matches as a starting TV does. @param {Store} store @param {number} everyMs */
async function readMatches(store, everyMs) {
  const persistence = new Persistence({
    store,
    lobby: /** @type {any} */ ({ matches: [], on() {} }),
    log: silentLog,
    everyMs,
    people: () => people,
  });
  const people = await persistence.loadPeople();
  const players = new Players();
  try {
    players.restore(people.players);
    for (const player of players.all) {
      assert.ok(Number.isSafeInteger(player.id) && player.id > 0);
      assert.ok(PLAYER_COLORS.includes(player.color));
      assert.ok(typeof player.name === 'string' && player.name.length > 0);
      assert.equal(player.tokenHash.length, 32);
      assert.equal(player.connected, false);
    }
  } finally {
    players.close();
  }
  for (const screen of people.screens) assert.equal(typeof screen, 'string');
  for (const { saved, checkpoint } of await persistence.loadSaved()) {
    assert.ok(Number.isSafeInteger(saved.id) && Number.isSafeInteger(saved.tick));
    for (const { slot, player } of saved.seats) {
      assert.ok(Number.isInteger(slot) && Number.isInteger(player));
    }
    assert.ok(Buffer.isBuffer(checkpoint));
  }
  await persistence.close();
}

/** @param {Store} store */
async function readAdmin(store) {
  const { password, sessions } = await openAdminAccess(store, { writable: true, log: silentLog });
  assert.ok(sessions.cookieName);
  const record = await password.current();
  if (!record) return;
  assert.equal(sessions.check('A'.repeat(22), record), undefined);
}

/** @type {import('../run-target.js').Target<SavedFile>} */
export default {
  batch: 100,
  input: savedFile,
  async open() {
    return {
      check: (files) =>
        withinCpuTime(START_MS, async () => {
          for (const everyMs of [0, 1000]) {
            const directory = mkdtempSync(join(tmpdir(), 'data-'));
            lay(directory, files);
            const store = new Store(directory);
            assert.equal(await store.open(), undefined);
            await readMatches(store, everyMs);
            await readAdmin(store);
            rmSync(directory, { recursive: true });
          }
        }),
    };
  },
};
