/** The kernel in native code, for comparison only. Built with the machine's C compiler on demand. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, renameSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../../app/errors.js';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const sources = [`${root}bench/scenarios/collision/kernel.c`, `${root}app/game/kernel.c`];
const name = `bench-kernel-${process.arch}.node`;

/** What a benchmark of C is compiled with; fused multiply-add would give other bytes. */
const FLAGS = ['-O2', '-ffp-contract=off', '-fPIC', '-shared', '-fvisibility=hidden'];

/**
 * @returns {string} path of the addon
 * @throws {PitvError} PITV_BENCH_COMPILER
 */
export function buildNativeKernel() {
  const ready = modified(`${root}build/${name}`);
  if (sources.every((source) => modified(source) < ready)) return `${root}build/${name}`;
  const target = join(writableFolder(), name);
  const built = modified(target);
  if (sources.every((source) => modified(source) < built)) return target;
  const include = join(dirname(require.resolve('node-api-headers/package.json')), 'include');
  const output = `${target}.${process.pid}`;
  const args = [...FLAGS, '-I', include, '-o', output, sources[0], '-lm'];
  const result = spawnSync(process.env.CC ?? 'cc', args, { encoding: 'utf8' });
  if (result.status !== 0) {
    const problem = result.error?.message ?? result.stderr.trim();
    throw new PitvError('PITV_BENCH_COMPILER', `The C kernel could not be compiled: ${problem}`);
  }
  renameSync(output, target);
  return target;
}

/** The project may be on a read-only root; a run of the harness has a folder of its own for this. */
function writableFolder() {
  try {
    mkdirSync(`${root}build`, { recursive: true });
    accessSync(`${root}build`, constants.W_OK);
    return `${root}build`;
  } catch {
    return tmpdir();
  }
}

/** @param {string} path @returns {number} milliseconds, 0 when it is not there */
function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * The same contract as createWasmKernel() in app/game/wasm.js.
 * @type {import('../../../app/game/select-kernel.js').KernelFactory}
 */
export function createNativeKernel(bytes) {
  const native = require(buildNativeKernel());
  const buffer = new ArrayBuffer(bytes);
  return {
    buffer,
    bind: (at) => ({
      name: 'native',
      integrate: (high, bounce) => native.integrate(buffer, at, high, bounce ? 1 : 0),
      findPairs: (high) => native.findPairs(buffer, at, high),
    }),
  };
}
