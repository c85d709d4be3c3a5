/**
 * The kernel of worlds moves the bodies and finds the pairs that overlap. kernel.wasm and kernel-simd.wasm are built
 * from kernel.c and committed, so that pitv runs without a compiler. One is compiled once per process; each world has
 * its own instance and memory.
 */
import { readFileSync } from 'node:fs';
import { PitvError } from '../errors.js';
import { createViews, memoryBytes } from './layout.js';

const PAGE_BYTES = 65536;

/**
 * @typedef {object} Kernel see kernel.c
 * @property {(high: number, bounce: boolean) => void} integrate moves the bodies of the first slots by their velocity
 *   for one tick. bounce: whether circles and boxes bounce off the border of the world
 * @property {(high: number) => number} findPairs writes the pairs whose bounding circles overlap, and returns their
 *   number
 *
 * @typedef {(bytes: number) => {buffer: ArrayBuffer, bind: (parametersOffset: number) => Kernel}} KernelFactory
 *   allocates zeroed memory; bind() returns the kernel that works on it, once the layout is written
 */

/** @type {WebAssembly.Module | undefined} */
let compiled;

/** @param {string} file beside this module */
function read(file) {
  try {
    return readFileSync(new URL(file, import.meta.url));
  } catch (cause) {
    const sentence = `${file} is not beside pitv/game. Has a bundler copied pitv/game? The TV has it: tell the bundler that it is external.`;
    throw new PitvError('PITV_GAME_INVALID', sentence, { cause });
  }
}

/** Compiles the kernel. Both modules give the same bytes. @returns {WebAssembly.Module} */
function compile() {
  const module = (/** @type {string} */ file) => new WebAssembly.Module(read(file));
  // The vectors of 32-bit ARM hold no doubles, so SIMD does not pay there.
  if (process.arch !== 'arm') {
    try {
      return module('kernel-simd.wasm');
    } catch {
      // The processor has no SIMD.
    }
  }
  return module('kernel.wasm');
}

/**
 * Creates the kernel of a world.
 * @param {number} bytes of its memory @param {WebAssembly.Module} [module]
 * @returns {ReturnType<KernelFactory>}
 */
export function createWasmKernel(bytes, module = (compiled ??= compile())) {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const instance = new WebAssembly.Instance(module, { env: { memory } });
  const { integrate, findPairs } = /** @type {any} */ (instance.exports);
  return {
    buffer: memory.buffer,
    bind: (at) => ({
      integrate: (high, bounce) => integrate(0, at, high, bounce ? 1 : 0),
      findPairs: (high) => findPairs(0, at, high),
    }),
  };
}

/**
 * Creates the memory and the kernel of a world.
 * @param {import('./layout.js').Sizes} sizes @param {KernelFactory} [factory]
 */
export function createKernel(sizes, factory = createWasmKernel) {
  const { buffer, bind } = factory(memoryBytes(sizes));
  const memory = createViews(buffer, sizes);
  return { memory, kernel: bind(memory.parameters.byteOffset) };
}
