/** The archive for BitBake: always the same bytes, all licences told, and it runs. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { makeDist } from '../../../image/yocto/dist.js';
import { nodeVersions } from '../../nodes.js';
import { RECIPES, runFunction } from './recipes.js';

const RECIPE = readdirSync(join(RECIPES, 'pitv')).find((name) => /^pitv_/.test(name)) ?? '';

const ADDONS = ['app/native', 'ksm/native'];
const CC = 'arm-linux-gnueabihf-gcc';
const noCompiler =
  spawnSync(CC, ['--version']).status !== 0 && `${CC} is missing: ./setup.sh image`;
const ARMV7 = { CC, CFLAGS: '-O2 -march=armv7-a+fp -mfloat-abi=hard' };
/**
 * BitBake's settings for the Pi 1. The compiler's own start files are left out, because Debian's are made for ARMv7
 * and would mark the file so.
 */
const ARMV6 = {
  CC,
  CFLAGS: '-O2 -marm -march=armv6kz+fp -mfloat-abi=hard',
  LDFLAGS: '-nostdlib',
};

/** @type {string} */
let work;
/** @type {Awaited<ReturnType<typeof makeDist>>} */
let dist;
/** @type {string} unpacked */
let app;

before(async () => {
  work = await mkdtemp(join(tmpdir(), 'pitv-yocto-'));
  dist = await makeDist({ out: join(work, 'one') });
  execFileSync('tar', ['-xJf', dist.archive, '-C', work]);
  app = join(work, readdirSync(work).find((name) => name.startsWith('pitv-')) ?? '');
});
after(() => rm(work, { recursive: true, force: true }));

test('made again, with other permissions around it, it has the same bytes', async () => {
  const umask = process.umask(0o077);
  try {
    const again = await makeDist({ out: join(work, 'two') });
    assert.equal(again.sha256, dist.sha256);
  } finally {
    process.umask(umask);
  }
});

test("the recipes' licence checksums are right, and name every licence", () => {
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
  const [, told] = /^LICENSE = "(.*)"$/m.exec(recipe) ?? [];
  assert.deepEqual(told.split(' & '), [...licenses.add('MIT')].sort());
  for (const { name, files } of packages)
    assert.ok(files.length > 0, `${name} has no licence text`);
});

test('nothing in it is made for a certain machine', () => {
  const names = execFileSync('tar', ['-tJf', dist.archive], { encoding: 'utf8' }).split('\n');
  assert.deepEqual(
    names.filter((name) => /\.(node|so|o|a)$/.test(name)),
    [],
  );
});

/** BitBake refuses a package with a script whose interpreter no package brings. */
test('what is installed of it runs in Node.js or sh, builds nothing, and `pitv` leads to it', () => {
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
  assert.ok(names.includes('node_modules/ws/LICENSE'));
  const builds = /^Makefile$|\/native\/Makefile$|^node_modules\/(\.bin|node-api-headers)\//;
  assert.deepEqual(
    names.filter((name) => builds.test(name)),
    [],
  );
});

/** @param {Record<string, string>} how */
function compile(how) {
  const settings = Object.entries(how).map(([name, value]) => `${name}=${value}`);
  for (const addon of ADDONS) {
    const args = ['-s', '-C', join(app, addon), 'ARCH=arm', 'WERROR=', ...settings];
    execFileSync('make', [...args, 'clean'], { stdio: 'pipe' });
    execFileSync('make', args, { stdio: 'pipe' });
  }
  return ['pitv', 'ksm'].map((name) =>
    execFileSync('arm-linux-gnueabihf-readelf', ['-hA', join(app, `build/arm/${name}.node`)], {
      encoding: 'utf8',
    }),
  );
}

test('its addons compile for ARMv6 and for ARMv7', { skip: noCompiler }, () => {
  for (const said of compile(ARMV6)) {
    assert.match(said, /Machine: +ARM/);
    assert.match(said, /Tag_CPU_arch: v6/);
    assert.match(said, /Tag_ABI_VFP_args: VFP registers/);
  }
  for (const said of compile(ARMV7)) assert.match(said, /Tag_CPU_arch: v7/);
});

const arm = nodeVersions().find(({ name }) => name.includes('arm'));
const skip = noCompiler || arm?.skip;

test('unpacked elsewhere, it serves under a 32-bit Arm Node', { skip }, async () => {
  const [program, ...args] = arm?.command ?? [];
  const serve = ['serve', '--port', '0', '--host', '127.0.0.1', '--engine', 'thread'];
  const data = join(work, 'data');
  const tv = spawn(program, [...args, join(app, 'app/cli.js'), ...serve, '--data-dir', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    /** @type {string} */
    const url = await new Promise((resolve, reject) => {
      createInterface({ input: tv.stdout }).on('line', (line) => {
        const [found] = /http:\/\/[\d.]+:\d+/.exec(line) ?? [];
        if (found) resolve(found);
      });
      tv.on('exit', (code) => reject(new Error(`The TV ended with ${code}.`)));
    });
    const health = await (await fetch(`${url}/healthz`)).json();
    assert.equal(health.ok, true);
  } finally {
    tv.removeAllListeners('exit');
    tv.kill();
    await once(tv, 'exit');
  }
});
