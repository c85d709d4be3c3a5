/** Reads the private memory, CPU time and state of processes and threads from /proc (proc(5)). */
import { closeSync, openSync, readSync } from 'node:fs';
import { parseMemory } from '../../process/memory-account.js';

/** The smallest page size of all architectures that Node runs on. Larger pages only cause more exact measurements. */
const PAGE_KIB = 4;
/** USER_HZ, the unit of times in /proc. Linux's user-space ABI fixes it on arm and x86. */
const CLOCK_TICKS_PER_SECOND = 100;

/** One buffer for all reads: workers are polled many times a second, and new buffers would be megabytes of garbage. */
const buffer = Buffer.alloc(16 * 1024);

/** @param {string} path @returns {string | undefined} the file's first 16 KiB; all files read here are shorter */
function read(path) {
  /** @type {number | undefined} */
  let file;
  try {
    file = openSync(path, 'r');
    return buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0));
  } catch {
    return undefined; // the process has ended, or the system is not Linux
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Reads the memory that a process does not share (USS). Reading smaps_rollup walks all page tables of the process, so
 * this happens only when the resident size, which is cheap to read, is over the bound.
 * @param {number} pid @param {number} boundKib
 * @returns {number} KiB; 0 when the resident size is within the bound
 */
export function readPrivateKib(pid, boundKib) {
  const residentPages = Number(read(`/proc/${pid}/statm`)?.split(' ')[1] ?? 0);
  if (residentPages * PAGE_KIB <= boundKib) return 0;
  const text = read(`/proc/${pid}/smaps_rollup`);
  return text === undefined ? 0 : parseMemory(text).ussKib;
}

/**
 * Reads the CPU time that a thread has used.
 * @param {number} pid @param {number} tid
 * @returns {number} ms; 0 when the thread has ended
 */
export function readThreadCpuMs(pid, tid) {
  return readThreadActivity(pid, tid)?.cpuMs ?? 0;
}

/**
 * Reads the state and the CPU time of a thread.
 * @param {number} pid @param {number} tid
 * @returns {{state: string, cpuMs: number} | undefined} state: R runs or waits for a core, D waits for a disk,
 *   S waits for something else, T is stopped. undefined when the thread has ended
 */
export function readThreadActivity(pid, tid) {
  return readStat(`/proc/${pid}/task/${tid}/stat`);
}

/**
 * Reads the CPU time that all threads of a process have used.
 * @param {number} pid
 * @returns {number} ms; 0 when the process has ended
 */
export function readProcessCpuMs(pid) {
  return readStat(`/proc/${pid}/stat`)?.cpuMs ?? 0;
}

/** @param {string} path */
function readStat(path) {
  const stat = read(path);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const cpuMs = ((Number(fields[11]) + Number(fields[12])) * 1000) / CLOCK_TICKS_PER_SECOND;
  return { state: fields[0], cpuMs };
}
