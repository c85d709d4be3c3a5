/** Reads /proc: the lack of memory in /proc/meminfo and pressure stall information (Linux 4.20), and processes. */
import { readFileSync, readdirSync } from 'node:fs';

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

/** Reads MemAvailable / MemTotal, 0..1; 1 when it is unknown. @param {string} text /proc/meminfo */
export function parseAvailable(text) {
  const total = Number(/^MemTotal: +(\d+)/m.exec(text)?.[1] ?? 0);
  const available = Number(/^MemAvailable: +(\d+)/m.exec(text)?.[1] ?? total);
  return total > 0 ? available / total : 1;
}

/** Reads pressure and share. @param {string} proc */
export const memoryState = (proc) => ({
  pressure: parsePressure(readText(`${proc}/pressure/memory`) ?? ''), // missing without CONFIG_PSI
  available: parseAvailable(readText(`${proc}/meminfo`) ?? ''),
});
