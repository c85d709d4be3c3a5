/**
 * Tests of the archive for BitBake: its content, its licences, and what is installed of it. It is reproducible, its
 * addons compile for Arm, and the TV in it runs.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { makeDist } from '../../../image/yocto/dist.js';
import { nodeVersions } from '../../nodes.js';
import { freePort } from '../../../bench/harness/free-ports.js';
import { waitForHealth } from '../health.js';
import { missingTools } from '../needs.js';
import { RECIPES, runFunction } from './recipes.js';
import { temporaryFolder } from '../../support/folders.js';

const CC = 'arm-linux-gnueabihf-gcc';
const noCompiler = missingTools(CC);
/** An emulated processor starts the TV in seconds. */
const START_MS = 120_000;
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
const hashOf = (algorithm, file) =>
  createHash(algorithm).update(readFileSync(file)).digest('hex');

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
  assert.deepEqual(packed.filter((name) => binary.test(name)), []);
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
  const builds =
    /^image$|^Makefile$|\/native\/Makefile$|^node_modules\/(\.bin|node-api-headers)\//;
  assert.deepEqual(names.filter((name) => builds.test(name)), []);
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

/**
 * BitBake's settings for the Pi 2 and the Pi 1. The compiler's own start files are left out for the latter, because
 * Debian's are made for ARMv7 and would mark the file so.
 */
const CPUS = {
  v7: ['CFLAGS=-O2 -march=armv7-a+fp -mfloat-abi=hard'],
  v6: ['CFLAGS=-O2 -marm -march=armv6kz+fp -mfloat-abi=hard', 'LDFLAGS=-nostdlib'],
};

for (const [cpu, variables] of Object.entries(CPUS)) {
  test(`the addons compile for ARM${cpu}`, { skip: noCompiler }, () => {
    for (const [addon, folder] of Object.entries({ pitv: 'app/native', ksm: 'ksm/native' })) {
      const args = ['-s', '-C', join(app, folder), 'ARCH=arm', 'WERROR=', `CC=${CC}`, ...variables];
      for (const goals of [['clean'], []])
        execFileSync('make', [...args, ...goals], { stdio: 'pipe' });
      const elf = ['-hA', join(app, `build/arm/${addon}.node`)];
      const about = execFileSync('arm-linux-gnueabihf-readelf', elf, { encoding: 'utf8' });
      assert.match(about, /Machine: +ARM/);
      assert.match(about, new RegExp(`Tag_CPU_arch: ${cpu}`));
      assert.match(about, /Tag_ABI_VFP_args: VFP registers/);
    }
  });
}

const arm = nodeVersions().find(({ name }) => name.includes('arm'));
const skip = noCompiler || arm?.skip;

test('the unpacked app runs with a 32-bit Arm Node.js', { skip }, async (t) => {
  const [program, ...args] = arm?.command ?? [];
  const port = await freePort();
  const serve = `serve --port ${port} --host 127.0.0.1 --engine thread --data-dir`.split(' ');
  const command = [...args, join(app, 'app/cli.js'), ...serve, join(work, 'data')];
  const tv = spawn(program, command, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(tv, 'exit');
  t.after(async () => {
    tv.kill();
    await ended;
  });
  const health = await Promise.race([
    waitForHealth(`http://127.0.0.1:${port}`, START_MS),
    ended.then(([code]) => assert.fail(`The TV ended with ${code}.`)),
  ]);
  assert.equal(health.ok, true);
});
