/**
 * Accounts for the memory of processes. The TV's own figures and the benchmarks both use this file, so
 * that they count alike.
 *
 * The headline figure is unreclaimable memory: pages that the kernel cannot drop and read again from a file.
 * It is the sum of Pss_Anon and Pss_Shmem in /proc/PID/smaps_rollup:
 *
 * - Pss_Anon: heaps, stacks, machine code, and the pages of private file mappings that have been written to.
 *   The kernel copies such a page on the first write and counts the copy as anonymous (smaps_page_accumulate()
 *   in fs/proc/task_mmu.c), so relocated data of programs and libraries is included.
 * - Pss_Shmem: shared memory, such as the mailboxes.
 *
 * What remains of the PSS is Pss_File: clean pages of programs, libraries and mapped files. The kernel can drop
 * them when memory is short, and other programs may share them. They are reported apart from the headline.
 *
 * Every figure is proportional: a page that n processes map counts 1/n in each of them. A sum over processes
 * therefore counts a page that forks share, or that KSM has merged, once. Swapped pages are in none of these
 * figures except swapKib. See proc(5) and Documentation/filesystems/proc.rst.
 */
import { readFile } from 'node:fs/promises';
import { processTree, readText } from './process-tree.js';

/**
 * @typedef {object} Memory KiB; NaN: this kernel does not report it
 * @property {number} unreclaimableKib anonymousKib + shmemKib
 * @property {number} anonymousKib heaps, stacks, and written pages of private file mappings (Linux 5.4 and later)
 * @property {number} shmemKib shared memory (Linux 5.4 and later)
 * @property {number} fileKib clean pages of files (Linux 5.4 and later)
 * @property {number} pssKib the sum of the three
 * @property {number} ussKib pages that no other process maps
 * @property {number} rssKib all pages, each counted in full
 * @property {number} swapKib swapped pages
 * @property {number} mergedKib pages that KSM has merged, counted as often as they are mapped (Linux 6.8 and later)
 *
 * @typedef {{pid: number, memory: Memory}} ProcessMemory
 */

/** The kernel's fields. Figures with several fields are their sum. @type {Record<string, string[]>} */
const FIELDS = {
  unreclaimableKib: ['Pss_Anon', 'Pss_Shmem'],
  anonymousKib: ['Pss_Anon'],
  shmemKib: ['Pss_Shmem'],
  fileKib: ['Pss_File'],
  pssKib: ['Pss'],
  ussKib: ['Private_Clean', 'Private_Dirty', 'Private_Hugetlb'],
  rssKib: ['Rss'],
  swapKib: ['SwapPss'],
  mergedKib: ['KSM'],
};
const NAMES = /** @type {(keyof Memory)[]} */ (Object.keys(FIELDS));
/** Kernels without huge pages report no such field. */
const OPTIONAL = new Set(['Private_Hugetlb']);

/** Parses smaps_rollup, or smaps, whose mappings are added up. @param {string} text @returns {Memory} */
export function parseMemory(text) {
  /** @type {Map<string, number>} */
  const fields = new Map();
  for (const [, name, kib] of text.matchAll(/^(\w+):\s+(\d+) kB$/gm)) {
    fields.set(name, (fields.get(name) ?? 0) + Number(kib));
  }
  const kibOf = (/** @type {string} */ field) =>
    fields.get(field) ?? (OPTIONAL.has(field) ? 0 : NaN);
  return fromFigures((name) => sum(FIELDS[name].map(kibOf)));
}

/** Adds up the memory of several processes. @param {Memory[]} memories @returns {Memory} all 0 if there are none */
export function sumMemory(memories) {
  return fromFigures((name) => sum(memories.map((memory) => memory[name])));
}

/** @param {(name: keyof Memory) => number} figure @returns {Memory} */
const fromFigures = (figure) =>
  /** @type {Memory} */ (Object.fromEntries(NAMES.map((name) => [name, figure(name)])));

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);

/**
 * Reads the memory of one process, in libuv's thread pool: the kernel walks all of its page tables.
 * @param {number} pid
 * @returns {Promise<Memory | undefined>} undefined: the process has ended, or may not be read
 */
export async function memoryOf(pid) {
  const read = (/** @type {string} */ name) =>
    readFile(`/proc/${pid}/${name}`, 'latin1').catch(() => '');
  const text = (await read('smaps_rollup')) || (await read('smaps')); // rollup: since Linux 4.14
  return text === '' ? undefined : parseMemory(text);
}

/**
 * Reads the memory of a process and all of its descendants. Processes that end meanwhile are left out.
 * @param {number} [root] pid; this process by default
 * @returns {Promise<{total: Memory, processes: ProcessMemory[]}>} parents before their children
 */
export async function memoryOfTree(root = process.pid) {
  const read = processTree(root).map(async (pid) => ({ pid, memory: await memoryOf(pid) }));
  const processes = (await Promise.all(read)).flatMap(({ pid, memory }) =>
    memory === undefined ? [] : [{ pid, memory }],
  );
  return { total: sumMemory(processes.map(({ memory }) => memory)), processes };
}

/**
 * Reads the memory of several processes on the calling thread, for programs that measure themselves and must
 * not start libuv's thread pool for it. Processes that have ended count nothing.
 * @param {number[]} pids @returns {Memory} their sum
 */
export function memoryOfSync(pids) {
  const texts = pids.map(
    (pid) => readText(`/proc/${pid}/smaps_rollup`) || readText(`/proc/${pid}/smaps`) || '',
  );
  return sumMemory(texts.filter((text) => text !== '').map(parseMemory));
}
