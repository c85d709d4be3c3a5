/** Starts TVs with data directories that contain unusable files. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstat, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { loadCatalog } from '../../app/packages/catalog.js';
import { all } from '../support/extent.js';
import { askAdmin } from '../support/http.js';
import { startTv, temporaryFolder, until } from '../support/tv.js';

const games = await loadCatalog();
const [{ id, hash }] = games;

const PICTURE = `previews/${id}-${hash.slice(0, 32)}.frame`;
/** Each file that the TV reads. */
const FILES = [
  'admin-token',
  'admin-sessions.json',
  'admin-password',
  'people.json',
  'records.json',
  'tries.json',
  'live/7.a',
  'live/7.b',
  PICTURE,
  'games/gather.json',
];
const FOLDERS = ['live', 'previews', 'profiles', 'paper', 'games'];

const WRONG_TYPES = {
  format: 1,
  savedAt: 'x',
  players: [null],
  screens: [5],
  name: '01234567',
  sessions: [5, null],
  password: 5,
  7: 'x',
  createdAt: 1e300,
  more: 'longer than a token may be '.repeat(10),
};
/** @type {Record<string, (path: string) => unknown>} */
const KINDS = {
  garbage: (path) => writeFile(path, Buffer.from('\x00\xff{[garbage', 'latin1')),
  'JSON null': (path) => writeFile(path, 'null\n'),
  'an empty array': (path) => writeFile(path, '[]\n'),
  'an object of wrong types': (path) => writeFile(path, JSON.stringify(WRONG_TYPES)),
  'very deep': (path) => writeFile(path, '['.repeat(100_000)),
  huge: (path) => writeFile(path, '').then(() => truncate(path, 2 ** 40)),
  'a directory': (path) => mkdir(path).then(() => writeFile(join(path, 'file'), '')),
  'a link to itself': (path) => symlink(path, path),
  'a link to a device': (path) => symlink('/dev/zero', path),
  'a pipe': (path) => execFileSync('mkfifo', [path]),
};

const args = (/** @type {string[]} */ ...more) => ['--engine', 'thread', ...more];

/** Starts a TV and reads its files. @param {import('node:test').TestContext} t @param {string} dataDir */
async function startAndUse(t, dataDir) {
  const tv = await startTv(t, { dataDir, args: args('--checkpoint-seconds', '1') });
  assert.equal((await fetch(`${tv.url}/healthz`)).status, 200);
  void tv.services.previews.get(games[0]).catch(() => {}); // making another one takes seconds
  assert.equal(await tv.admin.password.current(), undefined);
  for (const path of ['/profiles', '/system']) {
    assert.equal((await askAdmin(tv, path)).status, 200, path);
  }
  await askAdmin(tv, '/matches', { method: 'POST', json: { game: 'collide' } });
  assert.equal(tv.lobby.matches.length, 1);
  return tv;
}

const NAMES = Object.keys(KINDS);

// With each first kind, every file is of another kind, and of another one than with the other first kinds.
for (const first of all ? NAMES.keys() : [0]) {
  test(`a TV starts when each saved file is of another kind (from ${NAMES[first]} on)`, async (t) => {
    const dataDir = temporaryFolder();
    for (const [index, name] of FILES.entries()) {
      await mkdir(join(dataDir, dirname(name)), { recursive: true });
      await KINDS[NAMES[(first + index) % NAMES.length]](join(dataDir, name));
    }
    const tv = await startAndUse(t, dataDir);
    for (const name of FILES) {
      await until(() => lstat(join(dataDir, `${name}.bad-1`)).catch(() => undefined), name);
    }
    assert.match(tv.services.store.files.problems[0], /^\d+ saved files were ignored, see the log/);
    await tv.stop();
    const again = await startTv(t, { dataDir, args: args() });
    assert.deepEqual(again.services.status.problems, [], 'the next start finds nothing wrong');
    await again.stop();
  });
}

test('a TV starts when a file, a link or a pipe has the name of each folder', async (t) => {
  const dataDir = temporaryFolder();
  const makers = [KINDS.garbage, KINDS['a link to itself'], KINDS['a pipe']];
  for (const [index, name] of FOLDERS.entries()) await makers[index % 3](join(dataDir, name));
  const tv = await startAndUse(t, dataDir);
  for (const name of FOLDERS) await lstat(join(dataDir, `${name}.bad-1`));
  await tv.stop();
});
