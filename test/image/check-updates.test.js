import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { createBill } from '../../image/sd/materials.js';
import { root } from '../support/test-files.js';
import { temporaryFolder, writeTree } from '../support/folders.js';

/** Entries of trixie-security for arm64 of 2026-11-26, without most of their fields. */
const LIST = `Package: libssl3t64
Source: openssl
Version: 3.5.7-1~deb13u3
Architecture: arm64
Provides: libssl3 (= 3.5.7-1~deb13u3)

Package: linux-image-arm64
Source: linux-signed-arm64 (6.12.118+1)
Version: 6.12.118-1
Architecture: arm64

Package: openssh-server
Source: openssh
Version: 1:10.0p1-7+deb13u2
Architecture: arm64
`;

/** @param {[name: string, version: string, source: string, architecture?: string][]} packages */
function billOf(packages) {
  const card = { name: 'pitv-1.0.0-arm64.img', version: '1.0.0', sha256: 'ab', epochS: 0 };
  const debian = packages.map(([name, version, source, architecture = 'arm64']) => ({
    name,
    version,
    source,
    architecture,
  }));
  const npm = [{ name: 'ws', version: '8.0.0', license: 'MIT' }];
  const more = { suite: 'trixie', suites: [], debian, npm, node: '24.22.0' };
  return JSON.stringify(createBill({ ...card, ...more }));
}

const OLD = billOf([
  ['tzdata', '2026a-0+deb13u1', 'tzdata', 'all'],
  ['libssl3t64', '3.5.7-1~deb13u2', 'openssl'],
  ['linux-image-6.12.107+deb13-arm64', '6.12.107-1', 'linux-signed-arm64'],
  ['openssh-server', '1:10.0p1-7+deb13u2', 'openssh'],
  ['zlib1g', '1:1.3.1', 'zlib'],
]);

test('packages with newer versions are listed, the kernel under another name, as text or as JSON', () => {
  const folder = temporaryFolder();
  const files = { 'card.spdx.json': OLD, 'fresh.spdx.json': billOf([['zlib1g', '2', 'zlib']]) };
  writeTree(folder, { ...files, Packages: LIST, 'other.json': '{}' });
  const check = (/** @type {string} */ name, /** @type {string[]} */ ...options) => {
    const program = join(root, 'image/check-updates.js');
    const args = [program, name, '--packages', 'Packages', ...options];
    return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  };
  const { stdout, stderr } = check('card.spdx.json');
  assert.match(
    stdout,
    /^pitv-1\.0\.0-arm64\.img: 2 of 5 packages have a newer version in trixie-security\./,
  );
  assert.match(stdout, /^ {2}libssl3t64 3\.5\.7-1~deb13u2 -> 3\.5\.7-1~deb13u3 \(openssl\)$/m);
  assert.match(stderr, /^check-updates: reading Packages$/m);
  const { updates, others } = JSON.parse(check('card.spdx.json', '--json').stdout);
  assert.deepEqual(others, ['node 24.22.0', '1 npm packages']);
  assert.deepEqual(
    updates.map((/** @type {any} */ { name, fixed }) => [name, fixed]),
    [
      ['libssl3t64', '3.5.7-1~deb13u3'],
      ['linux-image-6.12.107+deb13-arm64', '6.12.118-1'],
    ],
  );
  assert.match(check('fresh.spdx.json').stdout, /: 0 of 1 packages/);
  for (const name of ['none.json', 'other.json', 'Packages']) {
    const { status, stderr: why } = check(name);
    assert.equal(status, 1);
    assert.match(why, new RegExp(`^\\S*${name} is not the bill of materials of a card: `));
  }
});
