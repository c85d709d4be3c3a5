/**
 * Tests of the Yocto layer that take longer: the syntax of its files, which tools in Python check, and the archive for
 * BitBake: its content, its licences, and what is installed of it. It is reproducible. ../npm/arm.long.test.js compiles
 * the addons for Arm, and boards run the same app.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeDist } from '../../../image/yocto/dist.js';
import { hashOf, makeOnce, temporaryFolder, writeTree } from '../../support/folders.js';
import { LAYER, ROOT, YOCTO, filesBelow, readRecipe, runFunction } from './recipes.js';

/** The tools, from Python's package index. The first run installs them. */
const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const CHECK = fileURLToPath(new URL('check.py', import.meta.url));
const TOOLS = join(ROOT, '.cache', `python-${hashOf(REQUIREMENTS)}`);

/** @param {...string} path */
const read = (...path) => readFileSync(join(...path), 'utf8');

/** Checks that a script finds nothing, with the Python of the tools. @param {string[]} args */
function check(...args) {
  const env = { ...process.env, OELINT_SKIP_CONFIG: '1' };
  const program = join(TOOLS, 'bin/python');
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8', env });
  assert.deepEqual([status, stdout + stderr], [0, '']);
}

describe('the syntax', () => {
  before(() =>
    makeOnce(TOOLS, (folder) => {
      execFileSync('python3', ['-m', 'venv', folder], { stdio: 'pipe' });
      const args = ['-m', 'pip', 'install', '--quiet', '--requirement', REQUIREMENTS];
      execFileSync(join(folder, 'bin/python'), args, { stdio: 'pipe' });
    }),
  );

  test('kas and the parser of BitBake accept every file, and every repository is pinned', () => {
    check(CHECK);
  });

  test('oelint finds nothing', () => {
    const linted = filesBelow(LAYER).filter((file) => /\.(bb|bbappend|conf)$/.test(file));
    assert.ok(linted.length >= 8);
    const rules = [...read(YOCTO, 'oelint.txt').matchAll(/^(?!#)(\S+)(?: +(\S.*))?$/gm)];
    for (const [, rule, reason] of rules) assert.ok(reason, `${rule}: give a reason`);
    const suppress = rules.flatMap(([, rule]) => ['--suppress', rule]);
    // The first line of the tool's script has the path from before the folder was renamed.
    const tool = join(TOOLS, 'bin/oelint-adv');
    check(tool, '--release', 'wrynose', '--quiet', ...suppress, ...linted);
  });
});

describe('the archive', () => {
  const options = { url: 'https://example.org/pitv', level: 0 };
  const work = temporaryFolder();
  /** @type {Awaited<ReturnType<typeof makeDist>>} */
  let dist;
  let app = '';
  before(async () => {
    dist = await makeDist({ out: join(work, 'one'), ...options });
    execFileSync('tar', ['-xJf', dist.archive, '-C', work]);
    app = join(work, `pitv-${dist.version}`);
  });

  test('the checksums and licences in the recipes are right', () => {
    const sums = filesBelow(LAYER).flatMap((path) => [
      ...read(path).matchAll(/file:\/\/([^;\s"]+);md5=([0-9a-f]{32})/g),
    ]);
    assert.ok(sums.length >= 2);
    for (const [, name, sum] of sums) {
      const md5 = createHash('md5').update(readFileSync(join(app, name)));
      assert.equal(md5.digest('hex'), sum, name);
    }
    const packages = JSON.parse(read(app, 'licenses.json'));
    const licenses = new Set(packages.map((/** @type {{license: string}} */ one) => one.license));
    const [, license] = /^LICENSE = "(.*)"$/m.exec(readRecipe('pitv.bb')) ?? [];
    assert.deepEqual(license.split(' & '), [...licenses.add('MIT')].sort());
    for (const { name, files } of packages)
      assert.ok(files.length > 0, `${name} has no licence text`);
  });

  test('the released layer has the licence, and names version, archive and checksum', () => {
    execFileSync('tar', ['-xJf', dist.layer ?? '', '-C', work]);
    assert.equal(read(work, 'meta-pitv/LICENSE'), read(ROOT, 'LICENSE'));
    const settings = read(work, 'meta-pitv/recipes-pitv/pitv/pitv-source.inc');
    const sha256 = createHash('sha256').update(readFileSync(dist.archive)).digest('hex');
    for (const value of [dist.version, `${options.url}/pitv-${dist.version}.tar.xz`, sha256])
      assert.ok(settings.includes(` = "${value}"\n`), value);
  });

  /** BitBake rejects a package with a script whose interpreter is not in any package. */
  test('it has no binaries; installed scripts run in Node.js or sh, and build files are removed', () => {
    const packed = execFileSync('tar', ['-tJf', dist.archive], { encoding: 'utf8' });
    assert.doesNotMatch(packed, /\.(node|so|o|a)$/m);
    const D = join(work, 'image');
    const B = join(work, 'build');
    writeTree(B, { 'pitv.node': '', 'ksm.node': '' });
    runFunction('pitv.bb', 'do_install', { S: app, B, D, NODE_ARCH: 'arm' });
    const lib = join(D, 'usr/lib/pitv');
    const scripts = execFileSync('grep', ['-rlI', '^#!', lib], { encoding: 'utf8' }).trim();
    for (const file of scripts.split('\n')) {
      const [line] = read(file).split('\n', 1);
      if (line.startsWith('#!'))
        assert.match(line, /^#!(\/usr\/bin\/env (node|sh)|\/bin\/sh)\b/, file);
    }
    assert.equal(readlinkSync(join(D, 'usr/bin/pitv')), '/usr/lib/pitv/app/cli.js');
    const names = filesBelow(lib).map((path) => path.slice(lib.length + 1));
    for (const name of ['node_modules/ws/LICENSE', 'build/arm/pitv.node', 'build/arm/ksm.node'])
      assert.ok(names.includes(name), name);
    const builds =
      /^image\/|^Makefile$|\/native\/Makefile$|^node_modules\/(\.bin|node-api-headers)\//m;
    assert.doesNotMatch(names.join('\n'), builds);
  });

  test('a second one, made with another umask, has the same bytes', async () => {
    const umask = process.umask(0o077);
    try {
      const second = await makeDist({ out: join(work, 'two'), ...options });
      assert.equal(second.sha256, dist.sha256);
    } finally {
      process.umask(umask);
    }
  });

  test('it has all that the addons are compiled of', () => {
    for (const folder of ['app/native', 'ksm/native'])
      execFileSync('make', ['-n', '-B', '-C', join(app, folder), 'ARCH=arm'], { stdio: 'pipe' });
  });
});
