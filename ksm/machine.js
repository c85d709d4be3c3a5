/** Measures the lack of memory: /proc/meminfo, and pressure stall information (Linux 4.20). */
import { readFileSync } from 'node:fs';

/**
 * Reads the memory pressure.
 * @param {string} text /proc/pressure/memory
 * @returns {number} share of the last 10 s in which at least one task waited for memory, 0..100
 */
export function parsePressure(text) {
  return Number(/^some avg10=([\d.]+)/m.exec(text)?.[1] ?? 0);
}

/**
 * Reads the share of available memory.
 * @param {string} text /proc/meminfo
 * @returns {number} MemAvailable / MemTotal, 0..1; 1 when it is unknown
 */
export function parseAvailable(text) {
  const total = Number(/^MemTotal: +(\d+)/m.exec(text)?.[1] ?? 0);
  const available = Number(/^MemAvailable: +(\d+)/m.exec(text)?.[1] ?? total);
  return total > 0 ? available / total : 1;
}

/**
 * Reads both figures.
 * @param {string} [proc]
 * @returns {{pressure: number, available: number}}
 */
export function memoryState(proc = '/proc') {
  return {
    pressure: parsePressure(readText(`${proc}/pressure/memory`)), // missing without CONFIG_PSI
    available: parseAvailable(readText(`${proc}/meminfo`)),
  };
}

/** Returns the text of a file; '' when it cannot be read. @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
