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
 *
 * For the zygote (native/zygote/fork.c and its siblings):
 * @property {(control: number, caller: number, greeting: Buffer, spares: boolean) => Granted} serve
 *   stands still until it is asked for a child, forks it, and returns in the child; spares: the next
 *   child is forked ahead
 * @property {() => Granted} awaitRequest in a child that was forked ahead: stands still until it is wanted
 * @property {(micros: number) => void} setSlice the processor in pieces of this length, 0..100,000 µs, and
 *   the sooner the shorter; this thread only, not those that it starts (Linux 6.12 and later)
 * @property {() => boolean} keepMallocSmall false: the C library has no such settings
 * @property {() => void} trimMalloc gives pages of malloc's heaps that hold nothing back to the system
 * @property {() => number} fillHoles takes what is free inside malloc's heap for good; bytes
 * @property {(code: number) => never} exitNow ends this process, and joins no threads
 * @property {(signal: number) => void} ignoreSignal in this process and its later children
 * @property {() => number} processId this process's, as the kernel knows it
 * @property {() => string[]} openHandles libuv's types of what is open in the event loop beside Node's
 *   own; references all of it
 * @property {(tell: (end: boolean) => void) => void} whenEmpty calls tell(false) when nothing is left
 *   in the event loop, and tell(true) if that did not change it; never lets the loop end
 * @property {() => number} reviveThreads in a child: starts Node's platform threads anew; how many
 * @property {() => [number, number]} socketPair two descriptors, a stream in both directions
 * @property {() => [number, number]} makePipe descriptors for reading and for writing
 * @property {(fd: number) => boolean} dieWithPipe the kernel kills this process's group when the other
 *   end of the pipe is closed; false: it is already
 * @property {(socket: number, bytes: Buffer, descriptors: number[]) => boolean} sendRequest false:
 *   no room, try again later
 * @property {(pid: number) => number} openProcess a descriptor that never means another process
 * @property {(fd: number, signal: number) => boolean} signalProcess false: it has ended already
 *
 * For children's pipes (native/pipes.c):
 * @property {(fd: number, bytes: number) => number} setPipeSize the size it has now; errno EPERM over
 *   the system's pipe-max-size
 * @property {(fd: number) => number} pipeSize bytes that fit
 * @property {(fd: number, bytes: number) => number} setSocketBuffers SO_SNDBUF and SO_RCVBUF; bytes
 *   that the kernel made of it
 * @property {(fd: number, bytes: number) => void} setReceiveBuffer SO_RCVBUF; sockets that a listening one
 *   accepts inherit it
 *
 * For the service manager (native/notify.c):
 * @property {(socket: string, text: string) => void} notify socket: as NOTIFY_SOCKET has it
 *
 * @typedef {object} Granted
 * @property {boolean} child false: the zygote has been called
 * @property {boolean} spare forked ahead: awaitRequest() gives the request
 * @property {number} id of the request
 * @property {number[]} descriptors that came with it, the conversation first
 * @property {ArrayBuffer} seed 16 random bytes
 * @property {{call: string, errno: number}[]} failures of what the child wanted done for itself
 */

/** Where the addon for this machine is, if it was built. */
export const NATIVE_FILE = fileURLToPath(
  new URL(`../../build/${process.arch}/pitv.node`, import.meta.url),
);

/** @type {Native | undefined} */
let loaded;

/**
 * @returns {Native}
 * @throws {PitvError} PITV_NATIVE_MISSING
 */
export function native() {
  if (loaded) return loaded;
  try {
    return (loaded = /** @type {Native} */ (createRequire(import.meta.url)(NATIVE_FILE)));
  } catch (cause) {
    const sentence = `The native addon is not built for ${process.platform}-${process.arch}. Run make native.`;
    throw new PitvError('PITV_NATIVE_MISSING', sentence, { cause, details: { file: NATIVE_FILE } });
  }
}
