/**
 * Finds the names of C++ functions in Node's program and in shared libraries with `nm` (binutils). V8's tick processor
 * does so, too, but finds no names in a program with several mappings.
 */
import { spawn } from 'node:child_process';

/**
 * @typedef {object} Library
 * @property {string} path @property {number} start address of its first byte @property {number} end
 */

/**
 * Joins the mappings of each file. The log has a line for each mapping, whose offsets are only correct for the first
 * one.
 * @param {string} log
 * @returns {{text: string, libraries: Library[]}} the log with one line per file
 */
export function joinLibraries(log) {
  /** @type {Map<string, Library>} */
  const libraries = new Map();
  const rest = [];
  const seen = [];
  for (const line of log.split('\n')) {
    const match = /^shared-library,(.+?),0x([0-9a-f]+),0x([0-9a-f]+),/.exec(line);
    if (!match) {
      rest.push(line);
      continue;
    }
    const [, path, low, high] = match;
    const start = parseInt(low, 16);
    const end = parseInt(high, 16);
    const known = libraries.get(path);
    if (!known) libraries.set(path, { path, start, end });
    // A file may be mapped in two places. The larger mapping holds the code.
    else if (start <= known.end && end >= known.start) known.end = Math.max(known.end, end);
    else if (end - start > known.end - known.start) Object.assign(known, { start, end });
  }
  for (const { path, start, end } of libraries.values()) {
    seen.push(`shared-library,${path},0x${start.toString(16)},0x${end.toString(16)},0`);
  }
  // The first lines state the version of V8.
  const head = rest.findIndex((line) => !line.startsWith('v8-'));
  const text = [...rest.slice(0, head), ...seen, ...rest.slice(head)].join('\n');
  return { text, libraries: [...libraries.values()] };
}

/** @typedef {(offset: number) => string} NameAt the function at an offset from Library.start; empty if unknown */

/**
 * Reads the symbols of a library.
 * @param {Library} library
 * @param {AbortSignal} [signal]
 * @returns {Promise<NameAt | undefined>} undefined without nm, or without symbols
 */
export async function symbolsOf({ path, start }, signal) {
  if (!path.startsWith('/')) return undefined; // [vdso]
  // The nearest symbol before an address is the right one only in a full symbol table. In stripped
  // libraries, the tick processor finds the exported functions by their sizes.
  const lines = await nm(['-C', '-n', path], signal);
  /** @type {number[]} */
  const addresses = [];
  /** @type {string[]} */
  const names = [];
  for (const line of lines) {
    const match = /^([0-9a-f]+) [tTwWiuVv] (.+)$/.exec(line);
    if (!match) continue;
    addresses.push(parseInt(match[1], 16));
    names.push(match[2]);
  }
  if (names.length === 0) return undefined;
  // Symbols are absolute in a program that is not position-independent, relative in all others.
  const base = addresses[addresses.length - 1] >= start ? start : 0;
  return (offset) => {
    const address = base + offset;
    let low = 0;
    let high = addresses.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (addresses[middle] <= address) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? '' : names[low - 1];
  };
}

/**
 * Runs nm.
 * @param {string[]} args @param {AbortSignal} [signal] @returns {Promise<string[]>} lines; none if it fails
 */
function nm(args, signal) {
  return new Promise((resolve) => {
    const child = spawn('nm', args, { stdio: ['ignore', 'pipe', 'ignore'], signal });
    /** @type {Buffer[]} */
    const parts = [];
    child.stdout.on('data', (part) => parts.push(part));
    child.once('error', () => resolve([]));
    child.once('close', (code) =>
      resolve(code === 0 ? Buffer.concat(parts).toString('latin1').split('\n') : []),
    );
  });
}
