/** What engines share whose workers are processes of their own. */
import { closeSync } from 'node:fs';
import { counters } from './counters.js';
import { memoryOf, processCpuMs } from './procfs.js';

/** How much of what a worker said last is kept to find out why it ended. */
const STDERR_TAIL_CHARS = 8192;
/** How long after the end of a process its stderr may still come in. */
const STDERR_DRAIN_MS = 200;
/** What V8, the C++ library and a refused ArrayBuffer say. */
const OUT_OF_MEMORY = /heap out of memory|std::bad_alloc|Array buffer allocation failed/;
/** A worker's steady state allocates next to nothing, so a small nursery is enough. */
export const YOUNG_GENERATION_MB = 1;

/**
 * How worker processes are spawned. Whoever wants them otherwise (memory laid out alike, say) changes
 * this by EngineOptions.spawn and nothing else.
 * @typedef {object} SpawnOptions
 * @property {string[]} execArgv Node's and V8's options
 * @property {Record<string, string>} env added to this process's own
 * @property {<T>(spawn: () => T) => T} around calls spawn(), which forks; may change this process's
 *   state before and must put it back after
 */

/**
 * @param {{heapMb: number}} limits
 * @returns {SpawnOptions}
 */
export function spawnOptions({ heapMb }) {
  return {
    execArgv: [`--max-old-space-size=${heapMb}`, `--max-semi-space-size=${YOUNG_GENERATION_MB}`],
    env: {},
    around: (spawn) => spawn(),
  };
}

/**
 * @param {import('../../native/native.js').Native} addon @param {number} bytes
 * @returns {import('./engine.js').SharedMemory}
 */
export function shareMemory(addon, bytes) {
  const { buffer, fd } = addon.createMemory(bytes);
  const free = () => {
    addon.unmapMemory(buffer);
    closeSync(fd);
  };
  return { memory: buffer, fd, free };
}

/**
 * @param {import('node:stream').Readable | null} stream a worker's stderr
 * @param {(text: string) => void} pass gets all of it
 * @returns {() => Promise<string>} waits for the end of the stream and tells the last of it
 */
export function tailOf(stream, pass) {
  if (!stream) return async () => '';
  let tail = '';
  stream.setEncoding('utf8').on('data', (text) => {
    pass(text);
    tail = (tail + text).slice(-STDERR_TAIL_CHARS);
  });
  const closed = new Promise((resolve) => stream.once('close', resolve));
  return async () => {
    // What a worker started itself may hold its stderr open for ever.
    const timer = setTimeout(() => stream.destroy(), STDERR_DRAIN_MS);
    await closed;
    clearTimeout(timer);
    return tail;
  };
}

/** @param {string} said a worker's last words @returns {boolean} did it end for want of memory? */
export const ranOutOfMemory = (said) => OUT_OF_MEMORY.test(said);

/**
 * @param {import('./handle.js').WorkerHandle[]} workers
 * @returns {Promise<import('./engine.js').WorkerStats[]>}
 */
export async function processStats(workers) {
  return Promise.all(
    workers.map(async (worker) =>
      counters(worker, await memoryOf(worker.pid), processCpuMs(worker.pid)),
    ),
  );
}
