import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { cacheRoot, hashOf, layer, sweep } from '../../image/sd/layers.js';
import { temporaryFolder } from '../support/folders.js';

const folders = temporaryFolder();
/** @type {string} */
let root;
beforeEach(async () => (root = await mkdtemp(join(folders, 'root-'))));

test('a layer is made once for the same inputs, and again if one changes', async () => {
  const input = join(root, 'input');
  await writeFile(input, 'one');
  let made = 0;
  const make = async (/** @type {string} */ folder) => {
    made++;
    await writeFile(join(folder, 'out'), String(made));
  };
  const first = await layer('x', ['text', { file: input }], make, { root });
  const again = await layer('x', ['text', { file: input }], make, { root });
  assert.equal(made, 1);
  assert.equal(again.folder, first.folder);
  assert.equal(await readFile(join(again.folder, 'out'), 'utf8'), '1');

  await writeFile(input, 'two');
  const changed = await layer('x', ['text', { file: input }], make, { root });
  assert.notEqual(changed.folder, first.folder);
  assert.equal(made, 2);
});

test('a failed layer leaves nothing, and the next attempt starts with an empty folder', async () => {
  const fail = async (/** @type {string} */ folder) => {
    await writeFile(join(folder, 'half'), '');
    throw new Error('out of space');
  };
  await assert.rejects(layer('x', [], fail, { root }), /out of space/);
  assert.deepEqual(await readdir(root), []);
  await layer('x', [], async (folder) => assert.deepEqual(await readdir(folder), []), { root });
});

test('the hash covers names, content and the executable bit, in any order of reading', async () => {
  const folder = join(root, 'f');
  await mkdir(folder);
  await writeFile(join(folder, 'b'), '1');
  await writeFile(join(folder, 'a'), '2');
  const key = await hashOf([{ file: folder }]);
  assert.equal(await hashOf([{ file: folder }]), key);
  await chmod(join(folder, 'a'), 0o755);
  const executable = await hashOf([{ file: folder }]);
  assert.notEqual(executable, key);
  await rm(join(folder, 'a'));
  await writeFile(join(folder, 'c'), '2', { mode: 0o755 });
  assert.notEqual(await hashOf([{ file: folder }]), executable);
});

test('the boundaries of texts are part of the hash', async () => {
  assert.notEqual(await hashOf(['ab', 'c']), await hashOf(['a', 'bc']));
});

test('old unused layers and drafts of ended processes are deleted', async () => {
  const { folder } = await layer('old', [], async () => {}, { root });
  const kept = await layer('new', [], async () => {}, { root });
  await mkdir(join(root, '.x-0123.999999999'));
  await mkdir(join(root, `.x-0123.${process.pid}`));
  await usedDaysAgo(folder, 31);
  await sweep(root);
  const left = (await readdir(root)).sort();
  assert.deepEqual(left, [`.x-0123.${process.pid}`, basename(kept.folder)].sort());
});

test('the last four layers of each name and those used today are kept', async () => {
  const wanted = [];
  for (const name of ['card', 'root-card']) {
    for (const days of [0, 0.5, 2, 3, 4, 5]) {
      const { folder } = await layer(name, [String(days)], async () => {}, { root });
      await usedDaysAgo(folder, days);
      if (days < 4) wanted.push(basename(folder));
    }
  }
  for (const hour of [1, 2, 3, 4, 5]) {
    const { folder } = await layer('busy', [String(hour)], async () => {}, { root });
    await usedDaysAgo(folder, hour / 24);
    wanted.push(basename(folder));
  }
  await sweep(root);
  assert.deepEqual((await readdir(root)).sort(), wanted.sort());
});

/** @param {string} folder @param {number} days */
async function usedDaysAgo(folder, days) {
  const then = new Date(Date.now() - days * 86_400_000);
  await utimes(folder, then, then);
}

test('the cache is outside of the work tree', () => {
  assert.equal(cacheRoot({ XDG_CACHE_HOME: '/c' }), '/c/pitv/image');
  assert.equal(cacheRoot({ PITV_IMAGE_CACHE: '/elsewhere' }), '/elsewhere');
});
