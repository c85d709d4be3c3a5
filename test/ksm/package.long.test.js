/** The package in another program: packed, installed and used. */
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/folders.js';

const project = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @param {string} program @param {string[]} args @param {string} cwd
 * @param {Record<string, string>} [env]
 */
function run(program, args, cwd, env = {}) {
  const options = { cwd, env: { ...process.env, ...env }, encoding: /** @type {const} */ ('utf8') };
  return spawnSync(program, args, options);
}

/** Packs the package and unpacks it where npm would install it. @param {import('node:test').TestContext} t */
function install(t) {
  const folder = join(temporaryFolder(t), 'with spaces'); // as in some home directories
  const at = join(folder, 'node_modules/@pitv/ksm');
  mkdirSync(at, { recursive: true });
  const packed = run('npm', ['pack', '--silent', '--pack-destination', folder], `${project}/ksm`);
  assert.equal(packed.status, 0, packed.stderr);
  const tarball = packed.stdout.trim().split('\n').at(-1) ?? '';
  const options = ['-xf', join(folder, tarball), '-C', at, '--strip-components=1'];
  assert.equal(run('tar', options, folder).status, 0);
  symlinkSync(
    `${project}/node_modules/node-api-headers`,
    join(folder, 'node_modules/node-api-headers'),
  );
  return { folder, at };
}

const PARENT = `
  import { fork } from 'node:child_process';
  import { isMergeable, mergeableSpawnOptions, probeFeatures } from '@pitv/ksm';
  const { execArgv, env, around } = mergeableSpawnOptions({ level: 'seeds' });
  const child = around(() => fork('child.mjs', { execArgv, env: { ...process.env, ...env } }));
  child.on('message', (settled) => {
    const missing = probeFeatures().missing.map(({ name }) => name);
    console.log(JSON.stringify({ settled, marked: isMergeable(child.pid), missing }));
    child.disconnect();
  });`;
const CHILD = `
  import { SETTLE_EVENT } from '@pitv/ksm';
  process.once('disconnect', () => {}); // keeps the process alive until the parent disconnects
  process.send(process.emit(SETTLE_EVENT));`;

/** Runs the parent, which launches a worker. @param {string} folder */
function launch(folder) {
  writeFileSync(join(folder, 'parent.mjs'), PARENT);
  writeFileSync(join(folder, 'child.mjs'), CHILD);
  const parent = run(process.execPath, ['parent.mjs'], folder);
  assert.equal(parent.status, 0, parent.stderr);
  return JSON.parse(parent.stdout);
}

test('an installed package launches workers, with and without the addon', (t) => {
  const { folder, at } = install(t);
  const { bin } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
  const program = [join(at, bin['pitv-ksm-build-addon'])];
  const failed = run(process.execPath, program, folder, { CC: 'no-such-cc' });
  assert.equal(failed.status, 1);
  assert.match(failed.stderr, /addon ksm is not built/);
  const without = launch(folder);
  assert.equal(without.settled, true);
  assert.equal(without.marked, false);
  assert.ok(without.missing.includes('addon'));

  const build = run(process.execPath, program, folder);
  if (!existsSync(join(at, 'build', process.arch, 'ksm.node'))) {
    assert.match(build.stderr, /addon ksm is not built/);
    return t.diagnostic(`the addon cannot be built: ${build.stderr}`);
  }
  assert.ok(!existsSync(join(at, '..', 'build')), 'nothing outside the package');
  const { settled, marked, missing } = launch(folder);
  assert.equal(settled, true);
  assert.equal(marked, !missing.includes('linux-6.4'));
  assert.ok(!missing.includes('addon'));
});
