/**
 * Builds the kernel as native code, for comparison only. It prefers clang, which also builds the WebAssembly kernel.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../../app/errors.js';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const sources = [
  `${root}bench/scenarios/collision/kernel.c`,
  ...['kernel.c', 'kernel.h', 'kernel-large.h'].map((name) => `${root}app/game/${name}`),
];
const WASM = `${root}app/game/kernel.wasm`;

/**
 * Compiler options. `c` has those of the WebAssembly kernel (app/game/Makefile): without fused multiply-add, its
 * results have the same bytes. `c-native` lets the compiler use everything that this processor offers.
 */
export const FLAGS = Object.freeze({
  c: Object.freeze(['-O3', '-ffp-contract=off']),
  'c-native': Object.freeze(['-O3', '-march=native']),
});
const LINKING = ['-fPIC', '-shared', '-fvisibility=hidden'];

/** @typedef {keyof typeof FLAGS} Flavour */

/** @type {{command: string, version: string} | undefined} */
let found;

/**
 * Finds the compiler: $CC, or else clang, or else cc.
 * @returns {{command: string, version: string}} version: the first line of `--version`
 * @throws {PitvError} PITV_BENCH_COMPILER
 */
export function compiler() {
  if (found) return found;
  for (const command of process.env.CC ? [process.env.CC] : ['clang', 'cc']) {
    const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
    if (status === 0) return (found = { command, version: stdout.split('\n')[0] });
  }
  throw new PitvError('PITV_BENCH_COMPILER', 'The C kernel needs a C compiler (clang or cc).');
}

/** Returns the version of the compiler that built the WebAssembly kernel. @returns {string | undefined} */
export function wasmCompiler() {
  const text = readFileSync(WASM, 'latin1');
  return /processed-by[^]*?(\d+\.\d+\.\d+)/.exec(text)?.[1];
}

/**
 * Builds the kernel unless it is up to date.
 * @param {Flavour} flavour
 * @returns {string} path of the addon
 * @throws {PitvError} PITV_BENCH_COMPILER
 */
function buildNativeKernel(flavour) {
  const { command } = compiler();
  const name = `bench-${flavour}-${basename(command)}-${process.arch}.node`;
  // Code for this processor is not stored in the project, which may be used on another machine.
  const folders = flavour === 'c-native' ? [tmpdir()] : [`${root}build`, writableFolder()];
  for (const folder of folders) {
    const built = modified(join(folder, name));
    if (sources.every((source) => modified(source) < built)) return join(folder, name);
  }
  const target = join(folders.at(-1) ?? tmpdir(), name);
  const include = join(dirname(require.resolve('node-api-headers/package.json')), 'include');
  const output = `${target}.${process.pid}`;
  const args = [...FLAGS[flavour], ...LINKING, '-I', include, '-o', output, sources[0], '-lm'];
  const result = spawnSync(command, args, { encoding: 'utf8' });
  if (result.status !== 0) {
    const problem = result.error?.message ?? result.stderr.trim();
    throw new PitvError('PITV_BENCH_COMPILER', `The C kernel could not be compiled: ${problem}`);
  }
  renameSync(output, target);
  return target;
}

/** Returns the build folder, or the temporary folder if the project is on a read-only file system. */
function writableFolder() {
  try {
    mkdirSync(`${root}build`, { recursive: true });
    accessSync(`${root}build`, constants.W_OK);
    return `${root}build`;
  } catch {
    return tmpdir();
  }
}

/** @param {string} path @returns {number} time of the last change, ms since 1970; 0 if there is no such file */
function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * Returns a kernel factory with the same contract as createWasmKernel() in app/game/wasm.js.
 * @param {Flavour} flavour
 * @returns {import('../../../app/game/select-kernel.js').KernelFactory}
 */
export function nativeKernel(flavour) {
  return (bytes) => {
    const native = require(buildNativeKernel(flavour));
    const buffer = new ArrayBuffer(bytes);
    return {
      buffer,
      bind: (at) => ({
        name: flavour,
        integrate: (high, bounce) => native.integrate(buffer, at, high, bounce ? 1 : 0),
        findPairs: (high) => native.findPairs(buffer, at, high),
      }),
    };
  };
}
