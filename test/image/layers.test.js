import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, readdir, utimes, writeFile } from 'node:fs/promises';
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
  let made = 0;
  const make = async (/** @type {string} */ text) => {
    await writeFile(input, text);
    const fill = (/** @type {string} */ folder) => writeFile(join(folder, 'out'), `${++made}`);
    const { folder } = await layer('x', ['text', { file: input }], fill, { root });
    return readFile(join(folder, 'out'), 'utf8');
  };
  assert.deepEqual([await make('one'), await make('one'), await make('two')], ['1', '1', '2']);
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

test('the hash covers names, content, the executable bit, and the boundaries of texts', async () => {
  const folder = join(root, 'f');
  await mkdir(folder);
  const keys = [];
  for (const change of [
    () => writeFile(join(folder, 'b'), '1'),
    () => writeFile(join(folder, 'a'), '1'),
    () => writeFile(join(folder, 'a'), '2'),
    () => chmod(join(folder, 'a'), 0o755),
  ]) {
    await change();
    keys.push(await hashOf([{ file: folder }]));
    assert.equal(await hashOf([{ file: folder }]), keys.at(-1));
  }
  keys.push(await hashOf(['ab', 'c']), await hashOf(['a', 'bc']));
  assert.equal(new Set(keys).size, keys.length);
});

/** Makes a layer that was used so many days ago. @param {string} name @param {number} days */
async function usedDaysAgo(name, days) {
  const { folder } = await layer(name, [String(days)], async () => {}, { root });
  const then = new Date(Date.now() - days * 86_400_000);
  await utimes(folder, then, then);
  return basename(folder);
}

test('of each name the last four layers of a month and those used today are kept, and drafts of running processes', async () => {
  const wanted = [`.x-0123.${process.pid}`];
  for (const name of [...wanted, '.x-0123.999999999']) await mkdir(join(root, name));
  for (const [name, days, kept] of /** @type {[string, number[], number][]} */ ([
    ['old', [0, 31], 1],
    ['card', [0, 0.5, 2, 3, 4, 5], 4],
    ['root-card', [0, 0.5, 2, 3, 4, 5], 4],
    ['busy', [0.1, 0.2, 0.3, 0.4, 0.5], 5],
  ]))
    for (const [i, age] of days.entries()) {
      const folder = await usedDaysAgo(name, age);
      if (i < kept) wanted.push(folder);
    }
  await sweep(root);
  assert.deepEqual((await readdir(root)).sort(), wanted.sort());
});

test('the cache is outside of the work tree', () => {
  assert.equal(cacheRoot({ XDG_CACHE_HOME: '/c' }), '/c/pitv/image');
  assert.equal(cacheRoot({ PITV_IMAGE_CACHE: '/elsewhere' }), '/elsewhere');
});
