/** How short this machine's memory is: /proc/meminfo, and pressure stall information (Linux 4.20). */
import { readFileSync } from 'node:fs';

/**
 * @param {string} text /proc/pressure/memory
 * @returns {number} share of the last 10 s in which at least one task waited for memory, 0..100
 */
export function parsePressure(text) {
  return Number(/^some avg10=([\d.]+)/m.exec(text)?.[1] ?? 0);
}

/**
 * @param {string} text /proc/meminfo
 * @returns {number} MemAvailable / MemTotal, 0..1; 1 when it can't be told
 */
export function parseAvailable(text) {
  const total = Number(/^MemTotal: +(\d+)/m.exec(text)?.[1] ?? 0);
  const available = Number(/^MemAvailable: +(\d+)/m.exec(text)?.[1] ?? total);
  return total > 0 ? available / total : 1;
}

/**
 * @param {string} [proc]
 * @returns {{pressure: number, available: number}}
 */
export function memoryState(proc = '/proc') {
  return {
    pressure: parsePressure(readOr(`${proc}/pressure/memory`)), // not there without CONFIG_PSI
    available: parseAvailable(readOr(`${proc}/meminfo`)),
  };
}

/** @param {string} path */
function readOr(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
