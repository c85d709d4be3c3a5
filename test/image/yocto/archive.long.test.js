/** Tests of the archive for BitBake: its content, its licences, and what is installed of it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { makeDist } from '../../../image/yocto/dist.js';
import { RECIPES, runFunction } from './recipes.js';
import { temporaryFolder } from '../../support/folders.js';

const RECIPE = readdirSync(join(RECIPES, 'pitv')).find((name) => /^pitv_/.test(name)) ?? '';

const URL_FOLDER = 'https://example.org/pitv';

const work = temporaryFolder();
/** @type {Awaited<ReturnType<typeof makeDist>>} */
let dist;
/** @type {string} unpacked */
let app;

before(async () => {
  dist = await makeDist({ out: join(work, 'one'), url: URL_FOLDER, level: 0 });
  execFileSync('tar', ['-xJf', dist.archive, '-C', work]);
  app = join(work, `pitv-${dist.version}`);
});

test('the checksums and licences in the recipes are right', () => {
  for (const file of readdirSync(join(RECIPES, 'pitv')).filter((name) => name.endsWith('.bb'))) {
    const recipe = readFileSync(join(RECIPES, 'pitv', file), 'utf8');
    const sums = [...recipe.matchAll(/file:\/\/([^;\s"]+);md5=([0-9a-f]{32})/g)];
    assert.ok(sums.length > 0, file);
    for (const [, name, sum] of sums) {
      const content = readFileSync(join(app, name));
      assert.equal(createHash('md5').update(content).digest('hex'), sum, `${file}: ${name}`);
    }
  }
  const packages = JSON.parse(readFileSync(join(app, 'licenses.json'), 'utf8'));
  const licenses = new Set(packages.map((/** @type {{license: string}} */ one) => one.license));
  const recipe = readFileSync(join(RECIPES, 'pitv', RECIPE), 'utf8');
  const [, license] = /^LICENSE = "(.*)"$/m.exec(recipe) ?? [];
  assert.deepEqual(license.split(' & '), [...licenses.add('MIT')].sort());
  for (const { name, files } of packages)
    assert.ok(files.length > 0, `${name} has no licence text`);
});

/** @param {string} text @returns {Record<string, string>} */
const settingsOf = (text) =>
  Object.fromEntries(
    [...text.matchAll(/^(\w+) = "(.*)"$/gm)].map(([, name, value]) => [name, value]),
  );

test('the recipes get version, archive and checksum, also in the released layer', () => {
  const sha256 = createHash('sha256').update(readFileSync(dist.archive)).digest('hex');
  const own = settingsOf(readFileSync(join(work, 'one/pitv-source.inc'), 'utf8'));
  const file = `pitv-${dist.version}.tar.xz`;
  assert.equal(dist.archive, join(work, 'one', file));
  const common = { PV: dist.version, PITV_ARCHIVE_SHA256: sha256 };
  assert.deepEqual(own, { ...common, PITV_ARCHIVE: `file://${file}` });
  execFileSync('tar', ['-xJf', dist.layer ?? '', '-C', work]);
  const released = join(work, 'meta-pitv/recipes-pitv/pitv/pitv-source.inc');
  assert.deepEqual(settingsOf(readFileSync(released, 'utf8')), {
    ...common,
    PITV_ARCHIVE: `${URL_FOLDER}/${file}`,
  });
});

test('the archive contains no binaries', () => {
  const names = execFileSync('tar', ['-tJf', dist.archive], { encoding: 'utf8' }).split('\n');
  assert.deepEqual(
    names.filter((name) => /\.(node|so|o|a)$/.test(name)),
    [],
  );
});

/** BitBake rejects a package with a script whose interpreter is not in any package. */
test('installed scripts run in Node.js or sh, build files are removed, and `pitv` is a link to the app', () => {
  const D = join(work, 'image');
  runFunction(`pitv/${RECIPE}`, 'do_install', { S: app, D });
  const lib = join(D, 'usr/lib/pitv');
  const scripts = execFileSync('grep', ['-rlI', '^#!', lib], { encoding: 'utf8' }).trim();
  for (const file of scripts.split('\n')) {
    const [line] = readFileSync(file, 'utf8').split('\n', 1);
    if (line.startsWith('#!'))
      assert.match(line, /^#!(\/usr\/bin\/env (node|sh)|\/bin\/sh)\b/, file);
  }
  assert.equal(readlinkSync(join(D, 'usr/bin/pitv')), '/usr/lib/pitv/app/cli.js');
  const names = readdirSync(lib, { recursive: true }).map(String);
  assert.ok(!names.includes('image'), 'pitv-system installs it');
  assert.ok(names.includes('node_modules/ws/LICENSE'));
  const builds = /^Makefile$|\/native\/Makefile$|^node_modules\/(\.bin|node-api-headers)\//;
  assert.deepEqual(
    names.filter((name) => builds.test(name)),
    [],
  );
});
