/** Which kernel a world gets, and the memory it works on. */
import { PitvError } from '../errors.js';
import { createJsKernel } from './js-kernel.js';
import { layOut, memoryBytes } from './layout.js';
import { createWasmKernel } from './wasm.js';

/**
 * @typedef {object} Kernel
 * @property {string} name
 * @property {(high: number, bounce: boolean) => void} integrate see kernel.js
 * @property {(high: number) => number} findPairs see kernel.js
 *
 * @typedef {(bytes: number) => {buffer: ArrayBuffer, bind: KernelBinder} | undefined} KernelFactory
 *   gives zeroed memory of so many bytes and, once the layout is written there, the kernel that
 *   works on it; undefined where it can't be had
 *
 * @typedef {(parametersOffset: number, memory: import('./layout.js').Memory) => Kernel} KernelBinder
 */

/** @type {Record<string, KernelFactory>} */
const FACTORIES = { wasm: createWasmKernel, js: createJsKernel };

/**
 * @param {import('./layout.js').Sizes} sizes
 * @param {'wasm' | 'js' | KernelFactory} [wanted] default: what PITV_KERNEL says, else wasm where
 *   it works, else js
 * @returns {{memory: import('./layout.js').Memory, kernel: Kernel}}
 * @throws {PitvError} PITV_WORLD_OPTIONS when the kernel that was asked for can't be had
 */
export function createKernel(sizes, wanted) {
  const choice = wanted ?? process.env.PITV_KERNEL ?? '';
  const bytes = memoryBytes(sizes);
  if (choice === '') {
    return bound(sizes, createWasmKernel(bytes)) ?? bound(sizes, createJsKernel(bytes));
  }
  const factory = typeof choice === 'function' ? choice : FACTORIES[choice];
  if (!factory) {
    throw new PitvError('PITV_WORLD_OPTIONS', `The kernel must be wasm or js, not '${choice}'.`);
  }
  const made = bound(sizes, factory(bytes));
  if (!made) {
    const name = typeof choice === 'function' ? choice.name : choice;
    throw new PitvError('PITV_WORLD_OPTIONS', `The kernel '${name}' can't be had on this machine.`);
  }
  return made;
}

/**
 * @template {ReturnType<KernelFactory>} Made
 * @param {import('./layout.js').Sizes} sizes @param {Made} made
 * @returns {{memory: import('./layout.js').Memory, kernel: Kernel} | Extract<Made, undefined>}
 */
function bound(sizes, made) {
  if (!made) return /** @type {Extract<Made, undefined>} */ (undefined);
  const memory = layOut(made.buffer, sizes);
  return { memory, kernel: made.bind(memory.parametersOffset, memory) };
}
