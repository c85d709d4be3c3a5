/**
 * Work for libuv's thread pool. The environment sets its size (UV_THREADPOOL_SIZE):
 *   node job.js '{"kind": "hashes", "count"}'                                   the article's hashes, all at once
 *   node job.js '{"kind": "mixed", "milliseconds", "hashes", "reads", "file"}'  a constant number of pending operations
 * Prints the result as JSON, with times in ms.
 */
import { pbkdf2 } from 'node:crypto';
import { closeSync, constants, openSync, read, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { native } from '../../../app/native/native.js';

/** As in the article. */
const ITERATIONS = 10_000;
const KEY_BYTES = 64;
const READ_BYTES = 64 * 1024;

const hash = () => promisify(pbkdf2)('my_password', 'salt', ITERATIONS, KEY_BYTES, 'sha512');
const readAt = promisify(read);

/** @param {{count: number}} request */
async function hashes({ count }) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const times = await Promise.all(
    Array.from({ length: count }, () => hash().then(() => performance.now() - began)),
  );
  const { user, system } = process.cpuUsage(cpu);
  return { times, cpuMs: (user + system) / 1000 };
}

/**
 * Opens a file without the page cache, so that a thread waits for the disk. If the file system does not support that,
 * opens it with the cache.
 * @param {string} path
 */
function openFile(path) {
  const blocks = Math.floor(statSync(path).size / READ_BYTES);
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECT);
    return { fd, blocks, direct: true };
  } catch {
    return { fd: openSync(path, 'r'), blocks, direct: false };
  }
}

/** @param {{milliseconds: number, hashes: number, reads: number, file: string}} request */
async function mixed(request) {
  const { fd, blocks, direct } = openFile(request.file);
  const end = performance.now() + request.milliseconds;
  /** @type {{hashes: number[], reads: number[]}} ms */
  const durations = { hashes: [], reads: [] };
  /** @param {number[]} times @param {() => Promise<unknown>} task */
  const lane = async (times, task) => {
    while (performance.now() < end) {
      const began = performance.now();
      await task();
      times.push(performance.now() - began);
    }
  };
  const lanes = Array.from({ length: request.reads }, (_, i) => {
    // Direct reads need page-aligned memory, which a Buffer does not have.
    const bytes = new Uint8Array(native().createMemory(READ_BYTES).buffer);
    let at = i;
    return lane(durations.reads, () => {
      at = (at + request.reads) % blocks;
      return readAt(fd, bytes, 0, READ_BYTES, at * READ_BYTES);
    });
  });
  for (let i = 0; i < request.hashes; i++) lanes.push(lane(durations.hashes, hash));
  const began = performance.now();
  await Promise.all(lanes);
  closeSync(fd);
  return { ...durations, seconds: (performance.now() - began) / 1000, direct };
}

const request = JSON.parse(process.argv[2]);
await hash(); // the first call is slower, because OpenSSL loads its algorithms
const result = request.kind === 'hashes' ? await hashes(request) : await mixed(request);
process.stdout.write(JSON.stringify(result));
