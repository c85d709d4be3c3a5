/** Helps engines: spawn options, shared memory and stderr of workers that are processes, stats of all workers. */
import { closeSync } from 'node:fs';
import { visibleText } from '../../errors/visible-text.js';
import { native } from '../../native/native.js';
import { memoryOf } from '../../process/memory-account.js';
import { readActivity } from './procfs.js';

/** Length of the kept end of a worker's stderr, which shows whether it ran out of memory. */
const STDERR_TAIL_CHARS = 8192;
/** Length of a locked worker's stderr that is read. */
const MAX_LOCKED_STDERR_CHARS = 64 * 1024;
/** How often it is read: each time costs the main process some time. */
const MAX_LOCKED_READS = 200;
/** How long after the end of a process its stderr may still arrive. */
const STDERR_DRAIN_MS = 200;
/** The messages of V8, of the C++ library, of a failed ArrayBuffer allocation, and of native/pool/fault.c. */
const OUT_OF_MEMORY =
  /heap out of memory|std::bad_alloc|Array buffer allocation failed|memory was exhausted/;
/** A running worker allocates very little, so a small young generation is enough. */
export const YOUNG_GENERATION_MB = 1;

/**
 * How worker processes are spawned. EngineOptions.spawn changes these options.
 * @typedef {object} SpawnOptions
 * @property {string[]} execArgv options of Node and V8
 * @property {Record<string, string>} env added to the environment of this process
 * @property {<T>(spawn: () => T) => T} around calls spawn(), which forks; it may change this process's state before the
 *   fork and must restore it afterwards
 */

/**
 * Returns how the processes of an engine are spawned.
 * @param {Pick<import('./options.js').CheckedEngineOptions, 'heapMb' | 'spawn'>} options
 * @param {boolean} [locked] whether the process is for a locked worker
 * @returns {SpawnOptions}
 */
export function spawnOptionsOf({ heapMb, spawn = (options) => options }, locked = false) {
  const execArgv = [
    `--max-old-space-size=${heapMb}`,
    `--max-semi-space-size=${YOUNG_GENERATION_MB}`,
  ];
  return spawn({ execArgv, env: {}, around: (fork) => fork() }, locked);
}

/**
 * Allocates memory that a child process can map from an inherited descriptor.
 * @param {number} bytes
 * @returns {import('./launcher.js').SharedMemory}
 */
export function createSharedMemory(bytes) {
  const addon = native();
  const { buffer, fd } = addon.createMemory(bytes);
  const free = () => {
    addon.unmapMemory(buffer);
    closeSync(fd);
  };
  return { memory: buffer, fd, free };
}

/**
 * Reads a worker's stderr and keeps the end of it.
 * @param {import('node:stream').Readable | null} stream
 * @param {(text: string) => void} onText is called with everything that arrives
 * @param {boolean} [locked] whether the worker is locked: only the beginning of its stderr is read then, and its hidden
 *   characters become visible
 * @returns {() => Promise<string>} waits until the stream has closed and returns the kept text
 */
export function captureStderr(stream, onText, locked = false) {
  if (!stream) return async () => '';
  let tail = '';
  let read = 0;
  let reads = 0;
  stream.setEncoding('utf8').on('data', (text) => {
    onText(locked ? visibleText(text) : text);
    read += text.length;
    reads++;
    if (locked && (read > MAX_LOCKED_STDERR_CHARS || reads > MAX_LOCKED_READS)) stream.destroy();
    tail = (tail + text).slice(-STDERR_TAIL_CHARS);
  });
  const closed = new Promise((resolve) => stream.once('close', resolve));
  return async () => {
    // A process that the worker has started may keep its stderr open indefinitely.
    const timer = setTimeout(() => stream.destroy(), STDERR_DRAIN_MS);
    await closed;
    clearTimeout(timer);
    return tail;
  };
}

/**
 * Logs a worker's stderr.
 * @param {{stderr: import('node:stream').Readable | null, pid?: number}} child
 * @param {string} name @param {import('./options.js').Log | undefined} log without it, to the stderr of this process
 * @param {boolean} [locked] see captureStderr()
 */
export const logStderr = (child, name, log, locked) =>
  captureStderr(
    child.stderr,
    (text) => {
      if (log) log.warn({ name, pid: child.pid }, text.trimEnd());
      else process.stderr.write(text);
    },
    locked,
  );

/**
 * Waits for the end of a worker's process.
 * @param {Promise<import('../zygote/process-handle.js').ProcessEnd>} exited
 * @param {() => Promise<string>} readStderr see captureStderr()
 * @param {(output: string) => boolean} [isOutOfMemory] gets its stderr and its error
 * @returns {Promise<import('./launcher.js').LaunchEnd>}
 */
export async function endOfProcess(exited, readStderr, isOutOfMemory = showsOutOfMemory) {
  const { code, signal, error } = await exited;
  const output = `${await readStderr()}\n${error?.message}`;
  return { code, signal, error, outOfMemory: isOutOfMemory(output) };
}

/** Tells from a worker's stderr and error whether it ran out of memory. @param {string} output */
export const showsOutOfMemory = (output) => OUT_OF_MEMORY.test(output);

/** @type {WeakMap<import('./handle.js').WorkerHandle, {at: number, cpuMs: number}>} */
const previous = new WeakMap();

/**
 * Measures workers. Threads get the memory of the whole process, which they share.
 * @param {import('./handle.js').WorkerHandle[]} workers
 * @param {boolean} [withMemory] see Engine.stats()
 * @returns {Promise<import('./launcher.js').WorkerStats[]>}
 */
export async function measureWorkers(workers, withMemory = true) {
  const pids = new Set(withMemory ? workers.map(({ pid }) => pid) : []);
  /** @type {Map<number, import('../../process/memory-account.js').Memory | undefined>} */
  const memories = new Map();
  await Promise.all([...pids].map(async (pid) => memories.set(pid, await memoryOf(pid))));
  return workers.map((worker) => statsOf(worker, memories.get(worker.pid)));
}

/**
 * Returns the stats of a worker: counters in its mailbox, and what the system reports.
 * @param {import('./handle.js').WorkerHandle} worker
 * @param {import('../../process/memory-account.js').Memory} [memory]
 */
function statsOf(worker, memory) {
  const { mailbox, pid, tid, threadId } = worker;
  const at = performance.now();
  const activity = threadId === 0 || tid !== undefined ? readActivity(pid, tid) : undefined;
  const cpuMs = activity?.cpuMs ?? 0;
  const last = previous.get(worker) ?? { at: worker.startedAt, cpuMs: 0 };
  previous.set(worker, { at, cpuMs });
  return {
    id: worker.id,
    name: worker.name,
    pid,
    threadId,
    pssKib: memory?.pssKib ?? null,
    ussKib: memory?.ussKib ?? null,
    rssKib: memory?.rssKib ?? null,
    cpu: (100 * (cpuMs - last.cpuMs)) / Math.max(1, at - last.at),
    cpuMs,
    heapKib: mailbox.memoryKib,
    ticks: mailbox.tick,
    lateTicks: mailbox.lateTicks,
    stepMicros: mailbox.stepMicros,
    stepMicrosMax: mailbox.takeStepMicrosMax(),
  };
}
