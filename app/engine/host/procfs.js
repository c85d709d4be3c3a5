/** Reads the resident memory, CPU time and state of processes and threads from /proc (proc(5)). */
import { closeSync, openSync, readSync } from 'node:fs';
import { TICKS_PER_SECOND, fieldsOf } from '../../process/process-tree.js';

/** The smallest page size of all architectures that Node runs on. Larger pages only cause more exact measurements. */
const PAGE_KIB = 4;

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
 * Reads the memory of a process that is in RAM (RSS), with what it shares.
 * @param {number} pid @returns {number} KiB, perhaps less on a machine with large pages; 0 when it has ended
 */
export const readResidentKib = (pid) =>
  Number(read(`/proc/${pid}/statm`)?.split(' ')[1] ?? 0) * PAGE_KIB;

/**
 * Reads the state and the CPU time of a thread, or those of a process, whose threads' times are added up.
 * @param {number} pid @param {number} [tid]
 * @returns {{state: string, cpuMs: number} | undefined} state: R runs or waits for a core, D waits for a disk,
 *   S waits for something else, T is stopped. undefined when it has ended
 */
export function readActivity(pid, tid) {
  const stat = read(tid === undefined ? `/proc/${pid}/stat` : `/proc/${pid}/task/${tid}/stat`);
  if (stat === undefined) return undefined;
  const fields = fieldsOf(stat);
  const cpuMs = ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
  return { state: fields[0], cpuMs };
}
