/** Reads what Linux tells about processes and threads (proc(5)). Elsewhere everything is null or 0. */
import { closeSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const PAGE_KIB = 4; // smallest page of every architecture Node runs on; statm only pre-selects
/** USER_HZ, the unit of times in /proc: fixed by Linux's user-space ABI on arm and x86. */
const CLOCK_TICKS_PER_SECOND = 100;

/** Every worker is looked at many times a second: a buffer for each look would be megabytes of garbage. */
const buffer = Buffer.alloc(16 * 1024);

/** @param {string} path @returns {string | undefined} its first 16 KiB, all that these files have */
function read(path) {
  /** @type {number | undefined} */
  let file;
  try {
    file = openSync(path, 'r');
    return buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0));
  } catch {
    return undefined; // ended meanwhile, or not Linux
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** @typedef {{pssKib: number, ussKib: number, rssKib: number}} Memory */

/**
 * Off the calling thread: the kernel walks all of the process's page tables for it.
 * @param {number} pid
 * @returns {Promise<Memory | undefined>}
 */
export async function memoryOf(pid) {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'latin1').catch(() => undefined);
  return text === undefined ? undefined : parseRollup(text);
}

/** @param {string} text of smaps_rollup @returns {Memory} */
function parseRollup(text) {
  /** @param {string} field */
  const kib = (field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return {
    pssKib: kib('Pss'),
    ussKib: kib('Private_Clean') + kib('Private_Dirty') + kib('Private_Hugetlb'),
    rssKib: kib('Rss'),
  };
}

/**
 * What a process has for itself alone. smaps_rollup walks all its page tables, so it is only read
 * when the resident size, which costs nothing, is over the bound.
 * @param {number} pid @param {number} boundKib
 * @returns {number} KiB; 0 when it is known to be under the bound
 */
export function privateKib(pid, boundKib) {
  const residentPages = Number(read(`/proc/${pid}/statm`)?.split(' ')[1] ?? 0);
  if (residentPages * PAGE_KIB <= boundKib) return 0;
  const text = read(`/proc/${pid}/smaps_rollup`);
  return text === undefined ? 0 : parseRollup(text).ussKib;
}

/**
 * CPU time of one thread so far.
 * @param {number} pid @param {number} tid
 * @returns {number} ms; 0 when it is gone
 */
export function threadCpuMs(pid, tid) {
  return threadActivity(pid, tid)?.cpuMs ?? 0;
}

/**
 * What one thread is doing.
 * @param {number} pid @param {number} tid
 * @returns {{state: string, cpuMs: number} | undefined} state: R runs or waits for a core, D waits for
 *   a disk, S waits for something else, T is stopped; CPU time so far. undefined: it is gone
 */
export function threadActivity(pid, tid) {
  return activityIn(`/proc/${pid}/task/${tid}/stat`);
}

/**
 * CPU time of a process so far, with all of its threads.
 * @param {number} pid
 * @returns {number} ms; 0 when it is gone
 */
export function processCpuMs(pid) {
  return activityIn(`/proc/${pid}/stat`)?.cpuMs ?? 0;
}

/** @param {string} path */
function activityIn(path) {
  const stat = read(path);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const cpuMs = ((Number(fields[11]) + Number(fields[12])) * 1000) / CLOCK_TICKS_PER_SECOND;
  return { state: fields[0], cpuMs };
}
