/** Selects the kernel of a world and creates its memory. */
import { PitvError } from '../errors.js';
import { createJsKernel } from './js-kernel.js';
import { createViews, memoryBytes } from './layout.js';
import { createWasmKernel } from './wasm.js';

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

/** @type {Record<string, KernelFactory>} */
const FACTORIES = { wasm: createWasmKernel, js: createJsKernel };

/**
 * Creates the memory and the kernel of a world.
 * @param {import('./layout.js').Sizes} sizes
 * @param {'wasm' | 'js' | KernelFactory} [wanted] default: the environment variable PITV_KERNEL, else
 *   wasm if it is available, else js
 * @returns {{memory: import('./layout.js').Memory, kernel: Kernel}}
 * @throws {PitvError} PITV_WORLD_OPTIONS if the requested kernel is not available
 */
export function createKernel(sizes, wanted) {
  const choice = wanted ?? process.env.PITV_KERNEL ?? '';
  const bytes = memoryBytes(sizes);
  if (choice === '') {
    return bindMemory(sizes, createWasmKernel(bytes)) ?? bindMemory(sizes, createJsKernel(bytes));
  }
  const factory = typeof choice === 'function' ? choice : FACTORIES[choice];
  if (!factory) {
    throw new PitvError('PITV_WORLD_OPTIONS', `The kernel must be wasm or js, not '${choice}'.`);
  }
  const made = bindMemory(sizes, factory(bytes));
  if (!made) {
    const name = typeof choice === 'function' ? choice.name : choice;
    throw new PitvError(
      'PITV_WORLD_OPTIONS',
      `The kernel '${name}' is not available on this machine.`,
    );
  }
  return made;
}

/**
 * Writes the layout into a factory's memory and binds its kernel.
 * @template {ReturnType<KernelFactory>} Made
 * @param {import('./layout.js').Sizes} sizes @param {Made} made
 * @returns {{memory: import('./layout.js').Memory, kernel: Kernel} | Extract<Made, undefined>}
 */
function bindMemory(sizes, made) {
  if (!made) return /** @type {Extract<Made, undefined>} */ (undefined);
  const memory = createViews(made.buffer, sizes);
  return { memory, kernel: made.bind(memory.parametersOffset, memory) };
}
