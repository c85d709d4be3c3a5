/**
 * Loads the WebAssembly kernel. kernel.wasm is built from kernel.c and committed, so that pitv runs
 * without a compiler. It is loaded once per process; each world has its own instance and memory.
 */
import { readFileSync } from 'node:fs';

const PAGE_BYTES = 65536;

/** @type {WebAssembly.Module | null | undefined} undefined: not loaded yet */
let compiled;

/** Loads the module. @returns {WebAssembly.Module | null} null if WebAssembly or the file is missing */
function loadModule() {
  if (compiled !== undefined) return compiled;
  try {
    compiled = new WebAssembly.Module(readFileSync(new URL('kernel.wasm', import.meta.url)));
  } catch {
    compiled = null; // js-kernel.js gives the same results, only slower
  }
  return compiled;
}

/** @type {import('./select-kernel.js').KernelFactory} */
export function createWasmKernel(bytes) {
  const module = loadModule();
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
