/**
 * Reads /proc: processes, memory pressure (Linux 4.20), and the mappings in /proc/PID/maps and smaps; see
 * proc_pid_maps(5) and proc_pid_smaps(5).
 *
 * Addresses are numbers. User space ends below 2^47 (2^56 with five-level page tables, for programs that request it),
 * and a double is exact to 2^53. The only mapping above is the kernel's [vsyscall], which is never marked.
 */
import { readFileSync, readdirSync } from 'node:fs';
import os from 'node:os';

/** @typedef {NonNullable<ReturnType<typeof parseMapping>>} Mapping */

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

const LINE =
  /^([0-9a-f]+)-([0-9a-f]+) ([r-])([w-])([x-])([sp]) [0-9a-f]+ [0-9a-f]+:[0-9a-f]+ (\d+)(?: +(\S.*)?)?$/;
const DELETED = ' (deleted)';

/** Parses a line of a maps file, if it is one. @param {string} line */
function parseMapping(line) {
  const found = LINE.exec(line);
  if (!found) return undefined;
  const [, from, to, r, w, x, share, inode, rest = ''] = found;
  const start = parseInt(from, 16);
  const end = parseInt(to, 16);
  if (end <= start) return undefined;
  const deleted = rest.endsWith(DELETED);
  return {
    start,
    end, // exclusive
    bytes: end - start,
    readable: r === 'r',
    writable: w === 'w',
    executable: x === 'x',
    shared: share === 's',
    inode: Number(inode), // 0: not a file
    name: deleted ? rest.slice(0, -DELETED.length) : rest, // path, '[heap]', '[anon:...]' ... or ''
    deleted,
  };
}

/** Parses a maps or smaps file. Ignores lines of another form. @param {string} text */
export const parseMaps = (text) => text.split('\n').flatMap((line) => parseMapping(line) ?? []);

/** Names in brackets of ordinary private memory; the kernel uses all others. */
const OWN = /^\[(heap|stack(:\d+)?|anon:.*)\]$/;

/** Returns whether a mapping is private memory without a file, as the paper marked. @param {Mapping} mapping */
export function isPrivateAnonymous({ shared, inode, name }) {
  return !shared && inode === 0 && (name === '' || OWN.test(name));
}

/** Sums up each field of smaps or smaps_rollup. @param {string} text @returns {Record<string, number>} KiB */
export function sumSmaps(text) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const found of text.matchAll(/^([A-Z]\w+): +(\d+) kB$/gm)) {
    sums[found[1]] = (sums[found[1]] ?? 0) + Number(found[2]);
  }
  return sums;
}
