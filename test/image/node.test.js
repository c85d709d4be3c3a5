/** Tests of the Node.js that setup.sh and cards fetch, and of the container's base image. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { temporaryFolder, writeTree } from '../support/folders.js';
import { root as PROJECT } from '../support/test-files.js';

test('a package replaces the one before, unless it differs from its SHA-512', () => {
  const folder = temporaryFolder();
  const at = (/** @type {string} */ name) => join(folder, name);
  writeTree(folder, {
    'package/bin/node': '',
    'cache/node/old': '',
    npm: `#!/bin/sh\ncp ${at('packed.tgz')} "$4" && echo packed.tgz\n`,
  });
  execFileSync('tar', ['-czf', at('packed.tgz'), 'package'], { cwd: folder });
  execFileSync('chmod', ['+x', at('npm')]);
  copyFileSync(join(PROJECT, 'image/node/fetch.sh'), at('fetch.sh'));
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const bytes = readFileSync(at('packed.tgz'));
  for (const [hashed, status, files] of /** @type {[Buffer, number, string[]][]} */ ([
    [Buffer.from('other'), 1, ['old']],
    [bytes, 0, ['bin']],
  ])) {
    const hash = createHash('sha512').update(hashed).digest('base64');
    writeTree(folder, { 'versions.txt': `# names\nnode-linux-x64 1.2.3 sha512-${hash}\n` });
    const fetched = spawnSync(at('fetch.sh'), ['x64', at('cache/node')], { env });
    assert.equal(fetched.status, status, String(fetched.stderr));
    assert.deepEqual(readdirSync(at('cache')), ['node']);
    assert.deepEqual(readdirSync(at('cache/node')), files);
  }
});

test('the base image of the container has a digest, and every stage starts from it', () => {
  const text = readFileSync(join(PROJECT, 'Dockerfile.armhf'), 'utf8');
  assert.match(text, /^ARG BASE=debian:[a-z-]+@sha256:[0-9a-f]{64}$/m);
  assert.match(text, /^ARG BUILD_BASE=\$BASE$/m);
  const stages = [...text.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, from]) => from);
  assert.deepEqual(stages, ['$BASE', '$BUILD_BASE', 'node']);
});
