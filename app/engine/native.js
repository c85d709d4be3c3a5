/**
 * Loads the addon built from native/ for this machine. Only what shares memory between processes
 * needs it; the thread engine works without.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../errors.js';

/**
 * All of them throw an Error with `code` PITV_NATIVE_FAILED, `errno` and `syscall` when the kernel
 * refuses, and a TypeError with `code` PITV_NATIVE_ARGUMENT for a wrong argument.
 * @typedef {object} Native
 * @property {(bytes: number) => {buffer: ArrayBuffer, fd: number}} createMemory zeroed memory of
 *   1..2^30 bytes that other processes can map; its size can't be changed by anybody
 * @property {(fd: number) => ArrayBuffer} mapMemory of another process; the descriptor may be closed
 * @property {(buffer: ArrayBuffer) => void} unmapMemory detaches the buffer, then frees it
 * @property {(parentPid: number) => boolean} dieWithParent from now on the kernel kills this process
 *   when its parent ends; false: it has ended already
 * @property {(name: string) => void} setThreadName of the calling thread, 15 bytes
 * @property {(resource: 'core' | 'data', bytes: number) => void} setLimit of this process, for good:
 *   size of a core file; private writable memory (heap, anonymous mappings, stacks)
 */

/** @type {Native | undefined} */
let loaded;

/**
 * @returns {Native}
 * @throws {PitvError} PITV_NATIVE_MISSING
 */
export function native() {
  if (loaded) return loaded;
  const file = fileURLToPath(new URL(`../../build/${process.arch}/pitv.node`, import.meta.url));
  try {
    return (loaded = /** @type {Native} */ (createRequire(import.meta.url)(file)));
  } catch (cause) {
    const sentence = `The native addon is not built for ${process.platform}-${process.arch}. Run make native.`;
    throw new PitvError('PITV_NATIVE_MISSING', sentence, { cause, details: { file } });
  }
}
