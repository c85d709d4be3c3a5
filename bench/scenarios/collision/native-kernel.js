/**
 * Builds the kernel as native code, for comparison only. It prefers clang, which also builds the WebAssembly kernel.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../../app/errors.js';
import { compile } from '../../harness/compile.js';

const require = createRequire(import.meta.url);
const SOURCE = fileURLToPath(new URL('kernel.c', import.meta.url));
const GAME = fileURLToPath(new URL('../../../app/game', import.meta.url));
const HEADERS = ['kernel.c', 'kernel.h'].map((name) => join(GAME, name));
const WASM = join(GAME, 'kernel-simd.wasm');

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
  const include = join(dirname(require.resolve('node-api-headers/package.json')), 'include');
  return compile(`${flavour}-${basename(command)}.node`, SOURCE, {
    compiler: command,
    flags: [...FLAGS[flavour], ...LINKING, '-I', include],
    headers: HEADERS,
    isLocal: flavour === 'c-native',
  });
}

/**
 * Returns a kernel factory with the same contract as createWasmKernel() in app/game/kernel.js.
 * @param {Flavour} flavour
 * @returns {import('../../../app/game/kernel.js').KernelFactory}
 */
export function nativeKernel(flavour) {
  return (bytes) => {
    const native = require(buildNativeKernel(flavour));
    const buffer = new ArrayBuffer(bytes);
    return {
      buffer,
      bind: (at) => ({
        integrate: (high, bounce) => native.integrate(buffer, at, high, bounce ? 1 : 0),
        findPairs: (high) => native.findPairs(buffer, at, high),
      }),
    };
  };
}
