/**
 * Tests of the archive for BitBake: its content, its licences, and what is installed of it. It is reproducible.
 * ../npm/arm.long.test.js compiles the addons for Arm, and boards run the same app.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { makeDist } from '../../../image/yocto/dist.js';
import { RECIPES, runFunction } from './recipes.js';
import { temporaryFolder } from '../../support/folders.js';

const OPTIONS = { url: 'https://example.org/pitv', level: 0 };

const work = temporaryFolder();
const recipes = readdirSync(join(RECIPES, 'pitv')).filter((name) => name.endsWith('.bb'));
const recipe = recipes.find((name) => /^pitv_/.test(name)) ?? '';
/** @type {Awaited<ReturnType<typeof makeDist>>} */
let dist;
/** @type {string} unpacked */
let app;

/** @param {...string} path */
const read = (...path) => readFileSync(join(...path), 'utf8');
/** @param {string} algorithm @param {string} file */
const hashOf = (algorithm, file) => createHash(algorithm).update(readFileSync(file)).digest('hex');

before(async () => {
  dist = await makeDist({ out: join(work, 'one'), ...OPTIONS });
  execFileSync('tar', ['-xJf', dist.archive, '-C', work]);
  app = join(work, `pitv-${dist.version}`);
});

test('the checksums and licences in the recipes are right', () => {
  for (const file of recipes) {
    const sums = [
      ...read(RECIPES, 'pitv', file).matchAll(/file:\/\/([^;\s"]+);md5=([0-9a-f]{32})/g),
    ];
    assert.ok(sums.length > 0, file);
    for (const [, name, sum] of sums)
      assert.equal(hashOf('md5', join(app, name)), sum, `${file}: ${name}`);
  }
  const packages = JSON.parse(read(app, 'licenses.json'));
  const licenses = new Set(packages.map((/** @type {{license: string}} */ one) => one.license));
  const [, license] = /^LICENSE = "(.*)"$/m.exec(read(RECIPES, 'pitv', recipe)) ?? [];
  assert.deepEqual(license.split(' & '), [...licenses.add('MIT')].sort());
  for (const { name, files } of packages)
    assert.ok(files.length > 0, `${name} has no licence text`);
});

test('the recipes get version, archive and checksum, also in the released layer', () => {
  const file = `pitv-${dist.version}.tar.xz`;
  assert.equal(dist.archive, join(work, 'one', file));
  execFileSync('tar', ['-xJf', dist.layer ?? '', '-C', work]);
  for (const [path, uri] of [
    ['one/pitv-source.inc', `file://${file}`],
    ['meta-pitv/recipes-pitv/pitv/pitv-source.inc', `${OPTIONS.url}/${file}`],
  ]) {
    const settings = [...read(work, path).matchAll(/^(\w+) = "(.*)"$/gm)].map(([line]) => line);
    const sha256 = hashOf('sha256', dist.archive);
    assert.deepEqual(settings, [
      `PV = "${dist.version}"`,
      `PITV_ARCHIVE = "${uri}"`,
      `PITV_ARCHIVE_SHA256 = "${sha256}"`,
    ]);
  }
});

/** BitBake rejects a package with a script whose interpreter is not in any package. */
test('the archive has no binaries; installed scripts run in Node.js or sh, and build files are removed', () => {
  const binary = /\.(node|so|o|a)$/;
  const packed = execFileSync('tar', ['-tJf', dist.archive], { encoding: 'utf8' }).split('\n');
  assert.deepEqual(
    packed.filter((name) => binary.test(name)),
    [],
  );
  const D = join(work, 'image');
  runFunction(`pitv/${recipe}`, 'do_install', { S: app, D });
  const lib = join(D, 'usr/lib/pitv');
  const scripts = execFileSync('grep', ['-rlI', '^#!', lib], { encoding: 'utf8' }).trim();
  for (const file of scripts.split('\n')) {
    const [line] = read(file).split('\n', 1);
    if (line.startsWith('#!'))
      assert.match(line, /^#!(\/usr\/bin\/env (node|sh)|\/bin\/sh)\b/, file);
  }
  assert.equal(readlinkSync(join(D, 'usr/bin/pitv')), '/usr/lib/pitv/app/cli.js');
  const names = readdirSync(lib, { recursive: true }).map(String);
  assert.ok(names.includes('node_modules/ws/LICENSE'));
  const builds = /^image$|^Makefile$|\/native\/Makefile$|^node_modules\/(\.bin|node-api-headers)\//;
  assert.deepEqual(
    names.filter((name) => builds.test(name)),
    [],
  );
});

test('a second archive, made with another umask, has the same bytes', async () => {
  const umask = process.umask(0o077);
  try {
    const second = await makeDist({ out: join(work, 'two'), ...OPTIONS });
    assert.equal(second.sha256, dist.sha256);
  } finally {
    process.umask(umask);
  }
});

test('the archive has all that the addons are compiled of', () => {
  for (const folder of ['app/native', 'ksm/native'])
    execFileSync('make', ['-n', '-B', '-C', join(app, folder), 'ARCH=arm'], { stdio: 'pipe' });
});
