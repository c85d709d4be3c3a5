import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { LIMITS } from '../../app/limits/table.js';
import { checkPackage } from '../../app/packages/foreign-games.js';
import { linkPitv } from '../../app/packages/link.js';
import { Packages } from '../../app/packages/packages.js';
import { Store } from '../../app/storage/store.js';
import { packageFiles, writePackage } from '../support/archives.js';
import { extent } from '../support/extent.js';
import { temporaryFolder, writeTree } from '../support/folders.js';

/** Some machines cannot lock games. @param {import('../../app/packages/packages.js').Staged} staged */
const check = (staged) => checkPackage(staged, 'open');

const CUT = fileURLToPath(new URL('install-and-cut.js', import.meta.url));
const NONE = { inUse: new Set(), known: new Set() };

async function open() {
  const folder = temporaryFolder();
  const packages = new Packages(new Store(join(folder, 'data')), ['bumper']);
  let number = 0;
  /** Makes an archive. @param {string} id @param {Parameters<typeof packageFiles>[1]} [parts] */
  const archive = (id, parts) => {
    const from = writePackage(join(folder, `${id}-${++number}.tgz`), id, parts);
    return { kind: /** @type {const} */ ('file'), from };
  };
  const folders = () => readdirSync(join(packages.directory, 'packages')).sort();
  const versions = async () => (await packages.list()).map(({ id, version }) => `${id} ${version}`);
  return { folder, packages, archive, folders, versions };
}

test('a package is installed, replaced and removed', async () => {
  const { packages, archive, folders, versions } = await open();
  assert.deepEqual(await versions(), []);
  const first = await packages.install(archive('gather'));
  const second = await packages.install(archive('gather', { version: '1.1.0' }));
  await packages.install(archive('catch'));
  assert.deepEqual(await versions(), ['catch 1.0.0', 'gather 1.1.0']);
  assert.deepEqual(await packages.get('gather'), second);
  assert.notEqual(first.hash, second.hash);
  assert.equal(folders().length, 3, 'the files of the old version stay');
  await packages.collect({ inUse: new Set([first.folder]), known: new Set([first.folder]) });
  assert.equal(folders().length, 3, 'a match uses them');
  await packages.collect({ inUse: new Set(), known: new Set([first.folder]) });
  assert.equal(folders().length, 2);
  await packages.remove('gather');
  assert.deepEqual(await versions(), ['catch 1.0.0']);
  await assert.rejects(packages.remove('gather'), { code: 'PITV_PACKAGE_UNKNOWN' });
  await assert.rejects(packages.remove('../catch'), { code: 'PITV_PACKAGE_UNKNOWN' });
});

test('the game of a package is loaded with the modules of this program', async () => {
  const { packages, archive } = await open();
  const top = "import { World } from 'pitv/game'; export { World };";
  const installed = await packages.install(archive('gather', { game: { top } }), { check });
  const { default: game, World } = await import(pathToFileURL(packages.moduleOf(installed)).href);
  const own = await import('../../app/game/index.js');
  assert.equal(game.id, 'gather');
  assert.equal(World, own.World);
});

test('a package that cannot be installed leaves nothing, and the installed version stays', async () => {
  const { folder, packages, archive, folders, versions } = await open();
  await packages.install(archive('gather'));
  const before = folders();
  const withManifest = (/** @type {object} */ manifest) => archive('gather', { manifest });
  const withFile = (/** @type {string} */ path, /** @type {string} */ text) =>
    archive('gather', { files: { [path]: text } });
  const polluted = '{"__proto__": {"pitv": {"game": "game.js", "api": 1}}, "name": "gather"}';
  const syntax = /^game\.js cannot be loaded: SyntaxError.*\(game\.js:2\)$/;
  /** @type {[import('../../app/packages/packages.js').Source, string, RegExp][]} */
  const bad = [
    [archive('bumper'), 'PACKAGE_CLASH', /bumper is a game of pitv itself/],
    [withManifest({ name: '@me/gather' }), 'PACKAGE_CLASH', /gather has the id gather already/],
    [withManifest({ keywords: [] }), 'PACKAGE_INVALID', /keywords/],
    [withManifest({ pitv: { game: 'a.js', api: 1 } }), 'PACKAGE_INVALID', /names a\.js, which is/],
    [withManifest({ author: 'x'.repeat(70_000) }), 'PACKAGE_INVALID', /has \d+ bytes; 65536 are/],
    [withFile('package.json', '{'), 'PACKAGE_INVALID', /package\.json is not valid JSON: /],
    [withFile('package.json', polluted), 'PACKAGE_INVALID', /version must be/],
    [{ kind: 'folder', from: folder }, 'PACKAGE_INVALID', /no package\.json/],
    [{ kind: 'file', from: join(folder, 'nowhere') }, 'PACKAGE_ARCHIVE', /nowhere cannot be read/],
    [withFile('game.js', '\nlet x = = 1;'), 'GAME_INVALID', syntax],
    [withFile('game.js', "import 'pitv/engine/index.js';"), 'GAME_INVALID', /pitv/],
    [withFile('game.js', 'export default 5;'), 'GAME_INVALID', /with the id "gather"/],
  ];
  for (const [source, code, message] of bad) {
    const refused = { code: `PITV_${code}`, message };
    await assert.rejects(packages.install(source, { check }), refused);
  }
  await assert.rejects(packages.install(archive('catch'), { only: 'gather' }), /no longer gather/);
  assert.deepEqual(folders(), before);
  assert.deepEqual(await versions(), ['gather 1.0.0']);
});

test('the number of packages is limited', async () => {
  const { packages, archive } = await open();
  const one = await packages.install(archive('a-0'));
  for (let i = 1; i < LIMITS.packages.value; i++) {
    const record = { ...one, id: `a-${i}`, name: `a-${i}` };
    writeFileSync(join(packages.directory, `a-${i}.json`), JSON.stringify(record));
  }
  await assert.rejects(packages.install(archive('b')), { code: 'PITV_PACKAGE_LIMIT' });
  await packages.install(archive('a-5'));
});

test('a folder is copied without tools and links', async () => {
  const { folder, packages } = await open();
  const from = join(folder, 'gather');
  const files = { '.git/config': 'x', 'node_modules/other/a.js': 'x' };
  writeTree(from, packageFiles('gather', { files }));
  const installed = await packages.install({ kind: 'folder', from });
  assert.deepEqual(readdirSync(packages.folderOf(installed)).sort(), ['game.js', 'package.json']);
  symlinkSync('/etc/passwd', join(from, 'secret.js'));
  const refused = { code: 'PITV_PACKAGE_ARCHIVE', message: /secret/ };
  await assert.rejects(packages.install({ kind: 'folder', from }), refused);
});

test('pitv/game is not linked where a link in the folder leads', async () => {
  const { folder } = await open();
  writeTree(folder, { 'programs/pitv': 'mine', 'gather/game.js': '' });
  symlinkSync('../programs', join(folder, 'gather/node_modules'));
  await assert.rejects(linkPitv(join(folder, 'gather')), /node_modules is a symbolic link/);
  assert.equal(readFileSync(join(folder, 'programs/pitv'), 'utf8'), 'mine');
});

const isRoot = process.getuid?.() === 0;

test('files that root writes belong to the owner of the folder', { skip: !isRoot }, async () => {
  const { packages, archive } = await open();
  const { directory } = packages.store;
  const NOBODY = 65534;
  mkdirSync(directory);
  fs.chownSync(directory, NOBODY, NOBODY);
  await packages.install(archive('gather', { files: { 'parts/a.js': '' } }));
  const { folder } = await packages.get('gather');
  const paths = ['', 'node_modules', 'node_modules/pitv', 'gather.json', 'packages'];
  const files = ['', 'game.js', 'parts', 'parts/a.js'];
  for (const path of [...paths, ...files.map((name) => join('packages', folder, name))]) {
    assert.equal(fs.lstatSync(join(packages.directory, path)).uid, NOBODY, path);
  }
  const { uid } = fs.statSync(join(packages.directory, 'node_modules/pitv/package.json'));
  assert.equal(uid, fs.statSync(fileURLToPath(new URL('../../package.json', import.meta.url))).uid);
  assert.notEqual(uid, NOBODY, 'the program itself is not changed');
});

test('damaged records and unfinished installations are set aside or deleted', async () => {
  const { packages, archive, folders, versions } = await open();
  const { folder } = await packages.install(archive('gather'));
  const record = readFileSync(join(packages.directory, 'gather.json'), 'utf8');
  const wrong = [record.replace(folder, '../../etc'), record.replace('"version"', '"x"'), record];
  for (const [i, text] of ['', '{', '[]', ...wrong].entries())
    writeFileSync(join(packages.directory, `bad-${i}.json`), text);
  assert.deepEqual(await versions(), ['gather 1.0.0']);
  mkdirSync(join(packages.directory, 'packages/.0123'));
  await packages.collect(NONE);
  assert.equal(folders().length, 2, 'it may still be going on');
});

test('a cut at any step leaves the old or the new version', async () => {
  const { packages, archive } = await open();
  const old = await packages.install(archive('gather'));
  const { from } = archive('gather', { version: '2.0.0', files: { 'parts/a.js': 'export {};' } });
  /** @type {Set<string>} */
  const seen = new Set();
  const stride = extent(3, 1);
  for (let step = 1; ; step += stride) {
    const program = [CUT, packages.store.directory, from, String(step)];
    const child = spawn(process.execPath, program, { stdio: 'inherit' });
    const [code, signal] = await once(child, 'exit');
    const [installed, ...others] = await packages.list();
    assert.equal(others.length, 0);
    seen.add(installed.version);
    if (installed.version === old.version) assert.deepEqual(installed, old);
    const files = readdirSync(packages.folderOf(installed), { recursive: true }).sort();
    const parts = installed.version === '2.0.0' ? ['parts', 'parts/a.js'] : [];
    assert.deepEqual(files, ['game.js', 'package.json', ...parts]);
    if (signal !== 'SIGKILL') {
      assert.equal(code, 0);
      break;
    }
  }
  assert.deepEqual([...seen], ['1.0.0', '2.0.0']);
});
