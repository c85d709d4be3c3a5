/** Tests of a release, and of the arguments of all programs. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkProject, writeManifest } from '../../image/release.js';
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
  const project = temporaryFolder();
  writeTree(project, {
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
  const folder = temporaryFolder();
  writeTree(folder, { [card]: 'card', 'pitv-2.0.0.npm.spdx.json': '{}', 'arm64.json': '{}' });
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
  ['bench/board/run.js --times 0 -- --nonsense', /^--times must be a number, 1 or more\./],
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
