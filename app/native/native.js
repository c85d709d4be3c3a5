/**
 * Loads the addon that is built for this machine. The process and zygote engines and UDP pads need it; the thread
 * engine does not.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { findAddon } from '../../ksm/addon/find.cjs';
import { PitvError } from '../errors.js';

/**
 * @typedef {object & {readonly __arena: unique symbol}} ArenaMemory mapped memory, only for viewMemory() and
 *   discardMemory()
 */

/**
 * The functions of the addon. They throw an Error with `code` PITV_NATIVE_FAILED, `errno` and `syscall` when a system
 * call fails, and a TypeError with `code` PITV_NATIVE_ARGUMENT for an invalid argument.
 * @typedef {object} Native
 * @property {(bytes: number) => {buffer: ArrayBuffer, fd: number}} createMemory creates zeroed memory of 1..2^30 bytes
 *   that other processes can map; its size is sealed. A page uses memory from its first access on
 * @property {(fd: number) => ArrayBuffer} mapMemory maps memory of another process; `fd` may be closed afterwards
 * @property {(memory: ArrayBuffer | ArenaMemory) => void} unmapMemory detaches a buffer, and frees its memory in the
 *   next turn of the event loop; an arena is freed once no part of it is left
 * @property {(parentPid: number) => boolean} dieWithParent makes the kernel kill this process when its parent ends;
 *   false: the parent has ended already
 * @property {(resource: 'core' | 'data', bytes: number) => void} setLimit limits, irrevocably, the size of core files
 *   or of this process's private writable memory (heap, anonymous mappings, stacks)
 * @property {(micros: number) => void} setSlice requests time slices of this length for the calling thread,
 *   0..100,000 µs; the shorter they are, the sooner it runs (Linux 6.12 and later). Threads that it starts do not
 *   inherit it
 * @property {() => void} keepMallocSmall limits malloc's heaps
 * @property {() => void} trimMalloc returns free pages of malloc's heaps to the system
 * @property {() => void} keepFreedBlocks lets malloc reuse large freed blocks; trimMalloc() returns them to the system
 * @property {(fd: number) => void} ownDescriptor closes the descriptor when this thread ends, unless closeDescriptor()
 *   closes it before
 * @property {(fd: number) => void} closeDescriptor closes a descriptor that fs.open() has not opened
 *
 * For the zygote (zygote/*.c, malloc.c):
 * @property {(control: number, caller: number, greeting: Buffer, kept: number[], words: Int32Array,
 *   message: Buffer) => void} serve blocks until a child is ordered, forks it, and returns in the child. kept:
 *   descriptors that children have, too. words and message: see engine/zygote/inside/entry.js
 * @property {() => void} leaveZygote closes these descriptors in a child, and makes the kernel kill it when its zygote
 *   ends
 * @property {() => void} awaitRequest blocks in a child until it has its request, which the words and the message of
 *   serve() get
 * @property {() => {call: string, errno: number}[]} failedCalls returns the system calls that failed while this child
 *   was set up
 * @property {() => void} fillHoles allocates the free memory inside malloc's heap for good
 * @property {() => void} shrinkHeap has V8 collect garbage and return free pages to the system
 * @property {(code: number) => never} exitNow ends this process without joining threads
 * @property {(signal: number) => void} ignoreSignal ignores a signal in this process and its later children
 * @property {() => number} processId returns the pid of this process; process.pid is stale in a forked child
 * @property {() => string[]} openHandles references the open handles of the event loop except Node.js's own; returns
 *   their libuv types
 * @property {(callback: (end: boolean) => void) => void} whenEmpty calls callback(false) when the event loop is empty,
 *   and callback(true) if it still is afterwards; the loop itself never ends
 * @property {() => number} reviveThreads restarts Node.js's platform threads in a child; returns their number
 * @property {() => [number, number]} socketPair returns two descriptors of a stream in both directions
 * @property {() => [number, number]} makePipe returns a descriptor for reading and one for writing
 * @property {(fd: number, bytes: Buffer) => boolean} writeAll writes to a blocking socket; false: the other side has
 *   closed it
 * @property {(fd: number) => boolean} dieAsGroup makes a process group, which the kernel kills when the other end of
 *   the pipe is closed; false: it is closed already
 * @property {(socket: number, bytes: Buffer, descriptors: number[]) => number} sendDescriptors sends bytes, and the
 *   descriptors with the first, without waiting; returns how many bytes; 0: the buffer is full, try again later
 * @property {(pid: number) => number} openProcess returns a descriptor of the process, which stays valid when the pid
 *   is reused
 * @property {(fd: number, signal: number) => boolean} signalProcess false: the process has ended already
 *
 * For the pipes of child processes (pipes.c):
 * @property {(fd: number, bytes: number) => number} setPipeSize returns the new size; fails with EPERM above the
 *   system's pipe-max-size
 * @property {(fd: number) => number} pipeSize returns the capacity in bytes
 * @property {(fd: number, bytes: number) => number} setSocketBuffers sets SO_SNDBUF and SO_RCVBUF; returns the size in
 *   bytes that the kernel chose
 * @property {(fd: number, bytes: number) => void} setReceiveBuffer sets SO_RCVBUF; sockets that a listening socket
 *   accepts inherit it
 * @property {(fd: number, bytes: number) => void} limitUnsent sets TCP_NOTSENT_LOWAT, inherited in the same way
 *
 * For the lock (lock/*.c):
 * @property {() => {landlock: number, seccomp: boolean}} lockSupport returns the version of Landlock's interface, 0 if
 *   there is none, and whether system calls can be filtered
 * @property {(readable: string[]) => void} beginLock prepares the lock of files, isolates the process and gives up all
 *   capabilities; fails with EBUSY if there are other threads. Threads that are restarted before lockFiles() are locked
 * @property {() => void} lockFiles applies it to the calling thread
 * @property {(memoryBytes: number) => void} lockCalls clears the environment, limits resources and filters the system
 *   calls of all threads. memoryBytes: see lock_limit_memory() in lock.h; 0 for none
 * @property {() => number | undefined} lockedBeforeMain returns 0 if files were locked before main(), the errno of what
 *   failed, or undefined if it was not asked for
 *
 * For the pool (pool/*.c, memory.c):
 * @property {(bytes: number) => {buffer: ArenaMemory, fd: number}} createArena creates memory like createMemory(), but
 *   without an ArrayBuffer, whose size V8 would count as used
 * @property {(fd: number) => ArenaMemory} mapArena maps such memory in another process
 * @property {(memory: ArenaMemory, offset: number, bytes: number) => ArrayBuffer} viewMemory returns a part of such
 *   memory, which stays mapped while there are parts
 * @property {(memory: ArenaMemory, offset: number, bytes: number) => void} discardMemory returns whole pages to the
 *   system; they are zero afterwards
 * @property {(words: Int32Array, index: number) => void} reportExhaustedMemory sets a word to 1 when this process is
 *   about to end for want of memory
 * @property {(words: Int32Array, index: number, value: number, spinMicros: number) => void} waitWhile blocks this
 *   thread while the word has the value; may return early, for example after a signal
 * @property {(words: Int32Array, index: number) => void} wakeWord wakes the thread that blocks in waitWhile()
 * @property {() => [number, number]} createEvent returns descriptors of an event: for watchEvent() and signalEvent()
 * @property {(fd: number) => void} signalEvent calls the callback of the watcher, in another process or thread
 * @property {(fd: number, callback: () => void) => Watcher} watchEvent calls the callback after signalEvent()
 * @property {(watcher: Watcher) => void} refWatcher makes the watcher keep the event loop alive
 * @property {(watcher: Watcher) => void} unrefWatcher undoes refWatcher()
 * @property {(watcher: Watcher) => void} closeWatcher stops watching; the descriptor may be closed afterwards
 *
 * For native pads (udp/js.c). A receiver ends with the thread that opened it; `receiver` is an object of udpOpen():
 * @property {(address: string, port: number, perSecond: number) => {receiver: object, port: number}} udpOpen
 * @property {(receiver: object) => void} udpClose
 * @property {(receiver: object, pad: number, key: Uint8Array) => void} udpAdd
 * @property {(receiver: object, pad: number) => void} udpRemove
 * @property {(receiver: object, pad: number, inputs: Int32Array, slot: number, match: number,
 *   generation: number) => boolean} udpSeat
 * @property {(receiver: object, pad: number) => void} udpUnseat
 * @property {(receiver: object, pad: number) => number} udpSilentMs
 * @property {(receiver: object, target: Uint32Array) => void} udpCounters
 * @property {(key: Uint8Array, datagram: Uint8Array) => void} udpSign writes the MAC into the last 8 of 32 bytes
 *
 * For the service manager (process.c):
 * @property {(socket: string, text: string) => void} notify sends a datagram to the socket named in NOTIFY_SOCKET
 *
 * @typedef {object & {readonly __brand?: 'watcher'}} Watcher
 */

/** Path of the addon for this machine. The file may not exist. */
export const NATIVE_FILE = findAddon('pitv', fileURLToPath(new URL('../..', import.meta.url)));

/** @type {Native | undefined} */
let loaded;

/** Returns the addon, and loads it at the first call. @returns {Native} @throws {PitvError} PITV_NATIVE_MISSING */
export function native() {
  if (loaded) return loaded;
  try {
    return (loaded = /** @type {Native} */ (createRequire(import.meta.url)(NATIVE_FILE)));
  } catch (cause) {
    const sentence = `The native addon cannot be loaded on ${process.platform}-${process.arch}. Run make native, or npx pitv-build-addon in a program that uses the package.`;
    throw new PitvError('PITV_NATIVE_MISSING', sentence, { cause, details: { file: NATIVE_FILE } });
  }
}
