/** Tests of a release, of the arguments of all programs, and of the check for updates. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkProject, writeManifest } from '../../image/release.js';
import { createBill, parsePackages } from '../../image/sd/materials.js';
import { root } from '../support/test-files.js';
import { temporaryFolder, writeTree } from '../support/folders.js';

const CODE = 'PITV_IMAGE_RELEASE';
const RECIPE = 'image/yocto/meta-pitv/pitv_2.0.0.bb';

test('this project names one version everywhere, and the changelog describes it', async (t) => {
  if (!existsSync(join(root, '.git'))) return t.skip('not a git repository');
  await checkProject().catch(({ message }) => assert.match(message, /^Commit or remove these/));
});

test('a project is released as committed, with one version and its notes', async () => {
  const version = '{"version": "2.0.0"}';
  const project = temporaryFolder({
    'package.json': version,
    'package-lock.json': version,
    'ksm/package.json': version,
    'image/yocto/meta-pitv/conf/distro/pitv-os.conf': 'DISTRO_VERSION = "2.0.0"\n',
    [RECIPE]: '',
    'CHANGELOG.md': '# Changelog\n\n## [2.0.0] - 2026-01-01\n\n### Fixed\n\n- It.\n\n## [1.0.0]\n',
  });
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: project });
  const commit = () => git('add', '.') && git('commit', '--quiet', '--message=next');
  git('init', '--quiet');
  commit();
  const release = await checkProject(project);
  assert.deepEqual([release.version, release.notes], ['2.0.0', '### Fixed\n\n- It.\n']);
  assert.match(release.commit, /^[0-9a-f]{40}$/);

  const isRefused = (/** @type {RegExp} */ message) =>
    assert.rejects(checkProject(project), { code: CODE, message });
  writeFileSync(join(project, 'new.txt'), '');
  await isRefused(/\n\?\? new\.txt/);
  git('mv', RECIPE, RECIPE.replace('2.0.0', '1.0.0'));
  await isRefused(/pitv_1\.0\.0\.bb has version/);
  git('mv', RECIPE.replace('2.0.0', '1.0.0'), RECIPE);
  const others = '## [1.0.0]\n\n- It.\n';
  for (const text of [others, `## [2.0.0] - 2026-01-01\n\n${others}`]) {
    writeFileSync(join(project, 'CHANGELOG.md'), text);
    await isRefused(/^CHANGELOG\.md says nothing/);
  }
});

test('the manifest says what each file is, and sha256sum accepts the checksums', async () => {
  const card = 'pitv-2.0.0-arm64.img.xz';
  const files = { [card]: 'card', 'pitv-2.0.0.npm.spdx.json': '{}', 'arm64.json': '{}' };
  const folder = temporaryFolder(files);
  await writeManifest(folder, { version: '2.0.0', commit: 'f00' });
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  assert.deepEqual([manifest.version, manifest.commit], ['2.0.0', 'f00']);
  const named = manifest.files.map((/** @type {any} */ each) => [each.file, each.bytes, each.what]);
  assert.deepEqual(named, [
    ['arm64.json', 2, 'newest update, for cards that look for one'],
    [card, 4, 'SD card'],
    ['pitv-2.0.0.npm.spdx.json', 2, 'bill of materials of the npm packages (SPDX 2.3)'],
  ]);
  const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder });
  assert.equal(String(checked).match(/: OK$/gm)?.length, 4);

  for (const name of ['manifest.json', 'SHA256SUMS']) rmSync(join(folder, name));
  writeTree(folder, { core: '' });
  await assert.rejects(writeManifest(folder, { version: '', commit: '' }), { code: CODE });
});

const PROGRAMS = [
  'image/build.js',
  'image/check-updates.js',
  'image/container/build.js',
  'bench/board/run.js',
  'bench/board/boot-time.js',
  'image/qemu/cli.js',
  'image/release.js',
  'image/yocto/dist.js',
];
/** Wrong arguments, and what the program says. */
const WRONG = /** @type {[string, RegExp][]} */ ([
  ['image/build.js armfh', /^"armfh" is not one of armhf, armel, arm64, pi5\./],
  ['image/build.js armel --kiosk', /^There is no card with a browser for armel\./],
  ['image/release.js npn', /^There is no part npn\./],
  ['image/build.js armhf armel', /^Use only one of armhf, armel, arm64, pi5\./],
  ['image/qemu/cli.js --port 65536', /^--port must be a number from 0 to 65535\./],
]);

/** @param {string} line program and arguments */
function run(line) {
  const [name, ...args] = line.split(' ');
  return spawnSync(process.execPath, [join(root, name), ...args], { encoding: 'utf8' });
}

test('each program has help, and reports usage errors before it does anything', () => {
  for (const name of PROGRAMS) {
    const { status, stdout, stderr } = run(`${name} --help`);
    assert.deepEqual([status, stderr], [0, ''], name);
    assert.match(stdout, /^Usage: /);
    const wrong = run(`${name} --nonsense`);
    assert.equal(wrong.status, 2, name);
    assert.equal(wrong.stderr, `Unknown option '--nonsense'.\n\n${stdout}`);
  }
  for (const [line, message] of WRONG) {
    const { status, stderr } = run(line);
    assert.equal(status, 2, stderr);
    assert.match(stderr, message);
  }
});

/** Entries of trixie-security for arm64 of 2026-11-26, without most of their fields. */
const LIST = `Package: libssl3t64
Version: 3.5.7-1~deb13u3
Provides: libssl3 (= 3.5.7-1~deb13u3)

Package: linux-image-arm64
Source: linux-signed-arm64 (6.12.118+1)
Version: 6.12.118-1

Package: openssh-server
Version: 1:10.0p1-7+deb13u2
`;

/** @param {string} packages name, version, source and architecture, each on a line */
function billOf(packages) {
  const card = { name: 'pitv-1.0.0-arm64.img', version: '1.0.0', sha256: 'ab', epochS: 0 };
  const debian = parsePackages(packages.replaceAll(' ', '\t'));
  const npm = [{ name: 'ws', version: '8.0.0', license: 'MIT' }];
  const more = { suite: 'trixie', suites: [], debian, npm, node: '24.22.0' };
  return JSON.stringify(createBill({ ...card, ...more }));
}

const OLD = billOf(`tzdata 2026a-0+deb13u1 tzdata all
libssl3t64 3.5.7-1~deb13u2 openssl arm64
linux-image-6.12.107+deb13-arm64 6.12.107-1 linux-signed-arm64 arm64
openssh-server 1:10.0p1-7+deb13u2 openssh arm64
zlib1g 1:1.3.1 zlib arm64`);

test('packages with newer versions are listed, the kernel under another name, as text or as JSON', () => {
  const bills = { 'card.spdx.json': OLD, 'fresh.spdx.json': billOf('zlib1g 2 zlib arm64') };
  const folder = temporaryFolder({ ...bills, Packages: LIST, 'other.json': '{}' });
  const check = (/** @type {string} */ words) =>
    run(`image/check-updates.js ${folder}/${words} --packages ${folder}/Packages`);
  const { stdout, stderr } = check('card.spdx.json');
  const found = '2 of 5 packages have a newer version in trixie-security';
  assert.ok(stdout.startsWith(`pitv-1.0.0-arm64.img: ${found}.\n`), stdout);
  assert.match(stdout, /^ {2}libssl3t64 3\.5\.7-1~deb13u2 -> 3\.5\.7-1~deb13u3 \(openssl\)$/m);
  assert.match(stderr, /^check-updates: reading \S+\/Packages$/m);
  const { updates, others } = JSON.parse(check('card.spdx.json --json').stdout);
  assert.deepEqual(others, ['node 24.22.0', '1 npm packages']);
  const newer = updates.map((/** @type {any} */ { name, fixed }) => `${name} ${fixed}`);
  const kernel = 'linux-image-6.12.107+deb13-arm64 6.12.118-1';
  assert.deepEqual(newer, ['libssl3t64 3.5.7-1~deb13u3', kernel]);
  assert.match(check('fresh.spdx.json').stdout, /: 0 of 1 packages/);
  for (const name of ['none.json', 'other.json', 'Packages']) {
    const { status, stderr: why } = check(name);
    assert.equal(status, 1);
    assert.match(why, new RegExp(`^\\S*${name} is not the bill of materials of a card: `));
  }
});
