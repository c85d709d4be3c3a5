import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { findRuntime, RUNTIME_NAMES } from '../../../bench/harness/runtimes.js';
import { loadScenario } from '../../../bench/harness/scenarios.js';
import { temporaryFolder } from '../../support/tv.js';
import { takeSample } from '../scenarios/sample.js';

const PACKAGED = {
  bun: { x64: '@oven/bun-linux-x64/bin/bun', arm64: '@oven/bun-linux-aarch64/bin/bun' },
  deno: { x64: '@deno/linux-x64-glibc/deno', arm64: '@deno/linux-arm64-glibc/deno' },
};

/** Writes a program. @param {string} path @param {string} lines of a shell script */
function writeProgram(path, lines) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  return path;
}

for (const [name, paths] of Object.entries(PACKAGED)) {
  for (const [arch, path] of Object.entries(paths)) {
    test(`${name} is found in the npm package for ${arch}, whose script need not have run`, async () => {
      const folder = temporaryFolder();
      const program = writeProgram(join(folder, path), 'exit 0');
      const [found] = findRuntime(name, { env: {}, folders: ['/nowhere', folder], arch });
      assert.equal(found, program);
    });
  }
}

test('the environment variable wins, then an npm package, then PATH', async () => {
  const folder = temporaryFolder();
  const named = writeProgram(join(folder, 'named'), 'exit 0');
  const inPath = writeProgram(join(folder, 'bin/bun'), 'exit 0');
  const packaged = writeProgram(join(folder, PACKAGED.bun.x64), 'exit 0');
  const env = { PATH: `/nowhere:${join(folder, 'bin')}` };
  const places = { env, folders: [folder], arch: 'x64' };
  assert.equal(findRuntime('bun', { ...places, env: { ...env, PITV_BUN: named } })[0], named);
  assert.equal(findRuntime('bun', places)[0], packaged);
  assert.equal(findRuntime('bun', { ...places, folders: [] })[0], inPath);
});

test('a program that does not run here is passed over, and is the reason if there is no other', async () => {
  const folder = temporaryFolder();
  const broken = writeProgram(join(folder, PACKAGED.deno.x64), 'echo "needs glibc 9." >&2; exit 1');
  const places = { env: {}, folders: [folder], arch: 'x64' };
  assert.throws(() => findRuntime('deno', places), {
    code: 'PITV_BENCH_UNSUPPORTED',
    message: `Deno: ${broken} does not run on this machine: needs glibc 9.`,
  });
  const other = writeProgram(join(folder, 'bin/deno'), 'exit 0');
  const env = { PATH: join(folder, 'bin') };
  assert.equal(findRuntime('deno', { ...places, env })[0], other);
});

for (const { what, arch, env, message } of [
  { what: 'nothing is installed', arch: 'x64', env: {}, message: /not installed.*PITV_BUN/ },
  { what: 'there is no package', arch: 'arm', env: {}, message: /no package for Linux on arm\./ },
  {
    what: 'the variable names no file',
    arch: 'x64',
    env: { PITV_BUN: '/nowhere/bun' },
    message: /\/nowhere\/bun \(PITV_BUN\) does not exist/,
  },
]) {
  test(`the reason says that ${what}`, () => {
    const code = 'PITV_BENCH_UNSUPPORTED';
    assert.throws(() => findRuntime('bun', { env, folders: [], arch }), { code, message });
  });
}

/** Variants of the scenarios, and the metrics of their samples. */
const SAMPLES = RUNTIME_NAMES.flatMap((engine) => [
  ...['Worker', 'IPC'].map((kind) => ({
    scenario: 'dispatch',
    title: kind,
    engine,
    configuration: {
      variant: `${engine === 'bun' ? 'Bun' : 'Deno'} ${kind}`,
      level: 'copied',
      workers: 2,
      n: 1024,
    },
    metrics: ['cpu', 'latency', 'latency_idle', 'rate'],
  })),
  ...['thread', 'process'].map((level) => ({
    scenario: 'startup',
    title: level,
    engine,
    configuration: { variant: '8 at once', engine, level },
    metrics: ['ready', 'call', 'first', 'cpu', 'peak_unreclaimable', 'worker_unreclaimable'],
  })),
]);

for (const { scenario: name, title, engine, configuration, metrics } of SAMPLES) {
  test(`${name}: ${engine}, ${title}, is measured if the program is here`, async (t) => {
    const scenario = await loadScenario(name);
    assert.ok(
      scenario
        .configurations({ quick: true })
        .some((one) => JSON.stringify(one) === JSON.stringify(configuration)),
    );
    try {
      findRuntime(engine);
    } catch (/** @type {any} */ { code, message }) {
      await assert.rejects(takeSample(t, name, configuration), { code, message });
      return t.skip(message);
    }
    const sample = await takeSample(t, name, configuration);
    assert.match(sample.facts?.runtime, /^(Bun|Deno) \d+\.\d+/);
    for (const metric of metrics) assert.ok(sample.metrics[metric] > 0, metric);
  });
}
