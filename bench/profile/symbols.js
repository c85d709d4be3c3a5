/**
 * Names for addresses in Node's own program and in shared libraries, by `nm` where binutils are there.
 * V8's own tick processor looks there too, but takes a program that lies in several mappings apart
 * wrongly and finds nothing in it.
 */
import { spawn } from 'node:child_process';

/**
 * @typedef {object} Library
 * @property {string} path @property {number} start address of its first byte @property {number} end
 */

/**
 * The log has a line for each mapping of a file; they are put together, for the numbers in it only
 * fit the first one.
 * @param {string} log
 * @returns {{text: string, libraries: Library[]}} the log with one line a file
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
    // A file may lie in two places; the larger one is where its code runs.
    else if (start <= known.end && end >= known.start) known.end = Math.max(known.end, end);
    else if (end - start > known.end - known.start) Object.assign(known, { start, end });
  }
  for (const { path, start, end } of libraries.values()) {
    seen.push(`shared-library,${path},0x${start.toString(16)},0x${end.toString(16)},0`);
  }
  // The first lines say which V8 wrote it.
  const head = rest.findIndex((line) => !line.startsWith('v8-'));
  const text = [...rest.slice(0, head), ...seen, ...rest.slice(head)].join('\n');
  return { text, libraries: [...libraries.values()] };
}

/** @typedef {(offset: number) => string} NameAt of a function, by its distance to Library.start; empty: not known */

/**
 * @param {Library} library
 * @param {AbortSignal} [signal]
 * @returns {Promise<NameAt | undefined>} undefined: no nm, or no names in it
 */
export async function symbolsOf({ path, start }, signal) {
  if (!path.startsWith('/')) return undefined; // [vdso]
  // Only with a full table of symbols is the nearest one before an address the right one. Of stripped
  // libraries the tick processor itself finds the exported functions, by their sizes.
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
  // Addresses of a program that is not position-independent are where it lies; else from its start.
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

/** @param {string[]} args @param {AbortSignal} [signal] @returns {Promise<string[]>} none when it fails */
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
