/** The number of matches that this machine can run at the same time. */
import os from 'node:os';
import { availableBytes } from '../process/available-memory.js';

/** Memory that is reserved for a match and its worker; measured matches use 3 to 15 MiB. */
export const MATCH_MIB = 24;
/** Memory for the main thread and the rest of the system. */
export const RESERVE_MIB = 64;
const MIB = 1024 * 1024;

/**
 * @typedef {object} Capacity
 * @property {number} max @property {number} running
 * @property {'setting' | 'memory' | 'cores'} limit what determines max
 * @property {string} why the same with its value, shown to people
 */

/**
 * Computes the capacity from a setting, or else from cores and memory.
 * @param {{maxMatches: number | 'auto', running: number, cores?: number, available?: number}} now
 *   available: bytes
 * @returns {Capacity}
 */
export function capacity({
  maxMatches,
  running,
  cores = os.availableParallelism(),
  available = availableBytes(),
}) {
  if (maxMatches !== 'auto') {
    return { max: maxMatches, running, limit: 'setting', why: `--max-matches ${maxMatches}` };
  }
  const freeMib = available / MIB;
  const byMemory = running + Math.max(0, Math.floor((freeMib - RESERVE_MIB) / MATCH_MIB));
  const short = `${Math.round(freeMib)} MiB of memory free, a match needs ${MATCH_MIB}`;
  if (byMemory < cores) return { max: byMemory, running, limit: 'memory', why: short };
  return { max: cores, running, limit: 'cores', why: cores === 1 ? '1 core' : `${cores} cores` };
}
