/** Reads /proc: processes, and the lack of memory by pressure stall information (Linux 4.20). */
import { readFileSync, readdirSync } from 'node:fs';
import os from 'node:os';

/** Returns the text of a file, if this user may read it. @param {string} path @returns {string | undefined} */
export function readText(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

/** Returns all pids. @param {string} proc */
export const listPids = (proc) =>
  readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/**
 * Reads the memory pressure.
 * @param {string} text /proc/pressure/memory
 * @returns {number} share of the last 10 s in which at least one task waited for memory, 0..100
 */
export function parsePressure(text) {
  return Number(/^some avg10=([\d.]+)/m.exec(text)?.[1] ?? 0);
}

/** Reads pressure and share. @param {string} proc */
export const memoryState = (proc) => ({
  pressure: parsePressure(readText(`${proc}/pressure/memory`) ?? ''), // missing without CONFIG_PSI
  available: os.freemem() / os.totalmem(), // libuv reads MemAvailable and MemTotal of /proc/meminfo
});
