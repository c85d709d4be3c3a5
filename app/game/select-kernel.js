/**
 * Selects the kernel of a world and creates its memory. kernel.wasm and kernel-simd.wasm are built from kernel.c and
 * committed, so that pitv runs without a compiler. One is loaded once per process; each world has its own instance and
 * memory.
 */
import { readFileSync } from 'node:fs';
import { PitvError } from '../errors.js';
import { createJsKernel } from './js-kernel.js';
import { createViews, memoryBytes } from './layout.js';

const PAGE_BYTES = 65536;

/**
 * @typedef {object} Kernel
 * @property {string} name
 * @property {(high: number, bounce: boolean) => void} integrate see js-kernel.js
 * @property {(high: number) => number} findPairs see js-kernel.js
 *
 * @typedef {(bytes: number) => {buffer: ArrayBuffer, bind: KernelBinder} | undefined} KernelFactory
 *   allocates zeroed memory; bind() returns the kernel that works on it, once the layout is
 *   written. Undefined if the kernel is not available
 *
 * @typedef {(parametersOffset: number, memory: import('./layout.js').Memory) => Kernel} KernelBinder
 */

/**
 * All give the same results; the first one that the engine compiles is used. The vectors of 32-bit ARM hold no doubles,
 * so SIMD does not pay there.
 */
const FILES = process.arch === 'arm' ? ['kernel.wasm'] : ['kernel-simd.wasm', 'kernel.wasm'];

/** @type {WebAssembly.Module | null | undefined} undefined: not loaded yet */
let compiled;

/** Loads a module. @returns {WebAssembly.Module | null} null if WebAssembly or the files are missing */
function loadModule() {
  for (const file of FILES) {
    if (compiled !== undefined) break;
    try {
      compiled = new WebAssembly.Module(readFileSync(new URL(file, import.meta.url)));
    } catch {
      // The engine has no SIMD. Without any module, js-kernel.js gives the same results, only slower.
    }
  }
  return (compiled ??= null);
}

/**
 * Creates the kernel in WebAssembly.
 * @param {number} bytes of its memory @param {WebAssembly.Module | null} [module]
 * @returns {ReturnType<KernelFactory>}
 */
export function createWasmKernel(bytes, module = loadModule()) {
  if (!module) return undefined;
  const pages = Math.ceil(bytes / PAGE_BYTES);
  let memory;
  let exports;
  try {
    memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    exports = /** @type {any} */ (new WebAssembly.Instance(module, { env: { memory } }).exports);
  } catch {
    return undefined; // not enough address space
  }
  const { integrate, findPairs } = exports;
  return {
    buffer: memory.buffer,
    bind: (at) => ({
      name: 'wasm',
      integrate: (high, bounce) => integrate(0, at, high, bounce ? 1 : 0),
      findPairs: (high) => findPairs(0, at, high),
    }),
  };
}

/** The first one that is available is the default. @type {Record<string, KernelFactory>} */
const FACTORIES = { wasm: createWasmKernel, js: createJsKernel };

/**
 * Creates the memory and the kernel of a world.
 * @param {import('./layout.js').Sizes} sizes
 * @param {'wasm' | 'js' | KernelFactory} [wanted] default: the environment variable PITV_KERNEL, else
 *   wasm if it is available, else js
 * @throws {PitvError} PITV_WORLD_OPTIONS if the requested kernel is not available
 */
export function createKernel(sizes, wanted) {
  const choice = wanted ?? process.env.PITV_KERNEL ?? '';
  const name = typeof choice === 'function' ? choice.name : choice;
  const factories =
    choice === ''
      ? Object.values(FACTORIES)
      : [typeof choice === 'function' ? choice : FACTORIES[choice]];
  for (const factory of factories) {
    if (!factory) {
      throw new PitvError('PITV_WORLD_OPTIONS', `The kernel must be wasm or js, not '${name}'.`);
    }
    const made = factory(memoryBytes(sizes));
    if (!made) continue;
    const memory = createViews(made.buffer, sizes);
    return { memory, kernel: made.bind(memory.parameters.byteOffset, memory) };
  }
  const sentence = `The kernel '${name}' is not available on this machine.`;
  throw new PitvError('PITV_WORLD_OPTIONS', sentence);
}
