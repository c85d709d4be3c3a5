import assert from 'node:assert/strict';
import { chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { loadAdminToken } from '../../app/admin/token.js';
import { Store, makeDirectory } from '../../app/storage/store.js';
import { temporaryFolder } from '../support/tv.js';

const TEXT = { maxBytes: 100, parse: String };

test('a file is read as it was written, also in parts, and is readable by the owner only', async () => {
  const folder = join(temporaryFolder(), 'made/on/demand');
  const store = new Store(folder);
  assert.equal(await store.open(), undefined);
  await store.write('a/b', [Buffer.from('one '), Buffer.from('two')]);
  assert.equal(await store.load('a/b', TEXT), 'one two');
  assert.equal((await stat(join(folder, 'a/b'))).mode & 0o777, 0o600);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  assert.deepEqual(await readdir(folder), ['a']);
  assert.deepEqual(await store.list('a', /./), ['b']);
  assert.deepEqual([await store.has('a'), await store.has('a/b')], [false, true]);
  await store.remove('a/b');
  assert.equal(await store.has('a/b'), false);
  assert.deepEqual(await readdir(join(folder, 'a')), [], 'no temporary file is left');
});

test('a write that fails leaves the old file as it was, and a directory with the name of a file is set aside', async () => {
  const folder = temporaryFolder();
  const store = new Store(folder);
  await store.write('file', 'old');
  const broken = /** @type {any} */ ([Buffer.from('new'), { not: 'data' }]);
  await assert.rejects(store.write('file', broken));
  assert.equal(await store.load('file', TEXT), 'old');
  assert.deepEqual(await readdir(folder), ['file']);
  await mkdir(join(folder, 'folder'));
  await store.write('folder', 'new');
  assert.equal(await store.load('folder', TEXT), 'new');
  assert.deepEqual((await readdir(folder)).sort(), ['file', 'folder', 'folder.bad-1']);
  assert.deepEqual(store.files.problems, []);
});

test('a directory is made with its parents, by several writes at once, and not in place of a file', async () => {
  const folder = temporaryFolder();
  await Promise.all([1, 2, 3].map(() => makeDirectory(join(folder, 'a/b/c'))));
  assert.ok((await stat(join(folder, 'a/b/c'))).isDirectory());
  await writeFile(join(folder, 'file'), '');
  await assert.rejects(makeDirectory(join(folder, 'file')), { code: 'EEXIST' });
  await assert.rejects(makeDirectory(join(folder, 'file/below')), { code: 'ENOTDIR' });
});

test('a file that root writes into the directory of another user belongs to that user', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can give a file away');
  const folder = temporaryFolder();
  await chown(folder, 1234, 1235);
  await new Store(folder).write('file', '');
  const { uid, gid } = await stat(join(folder, 'file'));
  assert.deepEqual([uid, gid], [1234, 1235]);
});

test('a data directory that is a file is wrong usage; one that cannot be made or written has a reason', async () => {
  const folder = temporaryFolder();
  await writeFile(join(folder, 'file'), '');
  await assert.rejects(new Store(join(folder, 'file')).open(), { code: 'PITV_USAGE' });
  await assert.rejects(new Store(join(folder, 'file/below')).open(), { code: 'PITV_USAGE' });

  for (const folder of ['/proc/pitv', '/proc']) {
    const reason = await new Store(folder).open();
    assert.match(String(reason), /^(no such file or folder|permission denied)$/, folder);
  }
});

test('the admin token is made once and saved with mode 600, or on a full disk for this start only', async () => {
  const folder = temporaryFolder();
  const store = new Store(folder);
  const first = await loadAdminToken(store, true);
  assert.ok(first.token.length >= 22 && first.isSaved);
  assert.equal((await stat(join(folder, 'admin-token'))).mode & 0o777, 0o600);
  assert.deepEqual(await loadAdminToken(store, true), first);
  await store.write('admin-token', 'short');
  assert.notEqual((await loadAdminToken(store, true)).token, 'short', 'a weak one is replaced');

  await store.remove('admin-token');
  store.write = () => Promise.reject(new Error('ENOSPC: no space left on device, write'));
  const { token, isSaved } = await loadAdminToken(store, true);
  assert.ok(token.length >= 22);
  assert.equal(isSaved, false);
});
