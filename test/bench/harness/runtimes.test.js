import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { findRuntime, searchRuntime } from '../../../bench/harness/runtimes.js';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { temporaryFolder, writeTree } from '../../support/folders.js';
import { takeSample } from '../scenarios/sample.js';

const CODE = 'PITV_BENCH_UNSUPPORTED';
const BUN = '@oven/bun-linux-x64/bin/bun';

/** Writes a program. @param {string} folder @param {string} path @param {string} [lines] of a shell script */
function writeProgram(folder, path, lines = 'exit 0') {
  writeTree(folder, { [path]: `#!/bin/sh\n${lines}\n` });
  return join(folder, path);
}

for (const [name, arch, path] of [
  ['bun', 'x64', BUN],
  ['bun', 'arm64', '@oven/bun-linux-aarch64/bin/bun'],
  ['deno', 'x64', '@deno/linux-x64-glibc/deno'],
  ['deno', 'arm64', '@deno/linux-arm64-glibc/deno'],
  ['node-24', 'x64', 'node-24/bin/node'],
]) {
  test(`${name} is found in the npm package for ${arch}, whose script need not have run`, () => {
    const folder = temporaryFolder();
    const program = writeProgram(folder, path);
    const [found] = searchRuntime(name, { env: {}, folders: ['/nowhere', folder], arch });
    assert.equal(found, program);
  });
}

test('the environment variable wins, then an npm package, then PATH', () => {
  const folder = temporaryFolder();
  const [named, inPath, packaged] = ['named', 'bin/bun', BUN].map((path) =>
    writeProgram(folder, path),
  );
  const env = { PATH: `/nowhere:${join(folder, 'bin')}` };
  const places = { env, folders: [folder], arch: 'x64' };
  const withVariable = { ...places, env: { ...env, PITV_BUN: named } };
  assert.deepEqual(searchRuntime('bun', withVariable), [named]);
  assert.deepEqual(searchRuntime('bun', places), [packaged]);
  assert.deepEqual(searchRuntime('bun', { ...places, folders: [] }), [inPath]);
});

test('a program that does not run here is passed over, and is the reason if there is no other', () => {
  const folder = temporaryFolder();
  const broken = writeProgram(folder, BUN, 'echo "needs glibc 9." >&2; exit 1');
  const places = { env: {}, folders: [folder], arch: 'x64' };
  const message = `Bun: ${broken} does not run on this machine: needs glibc 9.`;
  assert.throws(() => searchRuntime('bun', places), { code: CODE, message });
  const other = writeProgram(folder, 'bin/bun');
  const env = { PATH: join(folder, 'bin') };
  assert.deepEqual(searchRuntime('bun', { ...places, env }), [other]);
});

test('the reason says what is missing', () => {
  /** @type {[string, Record<string, string>, RegExp][]} */
  const cases = [
    ['x64', {}, /not installed.* bun, or set PITV_BUN/],
    ['arm', {}, /no package for Linux on arm\./],
    ['x64', { PITV_BUN: '/nowhere/bun' }, /\/nowhere\/bun \(PITV_BUN\) does not exist/],
  ];
  for (const [arch, env, message] of cases) {
    assert.throws(() => searchRuntime('bun', { env, folders: [], arch }), { code: CODE, message });
  }
});

/** @type {[string, string, import('../../../bench/harness/scenarios.js').Configuration][]} */
const SAMPLES = ['bun', 'deno'].flatMap((engine) => {
  const copied = { level: 'copied', workers: 2, n: 1024 };
  const title = engine === 'bun' ? 'Bun' : 'Deno';
  return [
    ['dispatch', engine, { variant: `${title} Worker`, ...copied }],
    ['dispatch', engine, { variant: `${title} IPC`, ...copied }],
    ['startup', engine, { variant: '8 at once', engine, level: 'thread' }],
    ['startup', engine, { variant: '8 at once', engine, level: 'process' }],
  ];
});

for (const [name, engine, configuration] of SAMPLES) {
  test(`${name}: ${JSON.stringify(configuration)} is measured if ${engine} is here`, async (t) => {
    const { configurations, metrics } = await loadScenario(name);
    const known = configurations({ quick: true }).map((one) => JSON.stringify(one));
    assert.ok(known.includes(JSON.stringify(configuration)));
    try {
      findRuntime(engine);
    } catch (/** @type {any} */ { code, message }) {
      await assert.rejects(takeSample(name, configuration), { code, message });
      return t.skip(message);
    }
    const sample = await takeSample(name, configuration);
    assert.match(sample.facts?.runtime, /^(Bun|Deno) \d+\.\d+/);
    const found = Object.entries(sample.metrics);
    assert.ok(found.length >= 3);
    for (const [metric, value] of found) {
      assert.ok(value > 0 && metrics.some((one) => one.name === metric), `${metric}: ${value}`);
    }
  });
}
