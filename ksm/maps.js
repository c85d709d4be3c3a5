/**
 * Parses /proc/PID/maps and /proc/PID/smaps; see proc_pid_maps(5) and proc_pid_smaps(5).
 *
 * Addresses are numbers. User space ends below 2^47 (2^56 with five-level page tables, for programs that request it),
 * and a double is exact to 2^53. The only mapping above is the kernel's [vsyscall], which is never marked.
 */

/** @typedef {NonNullable<ReturnType<typeof parseMapping>>} Mapping */

const LINE =
  /^([0-9a-f]+)-([0-9a-f]+) ([r-])([w-])([x-])([sp]) [0-9a-f]+ [0-9a-f]+:[0-9a-f]+ (\d+)(?: +(\S.*)?)?$/;
const DELETED = ' (deleted)';

/** Parses a line of a maps file, if it is one. @param {string} line */
export function parseMapping(line) {
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
export function parseMaps(text) {
  const mappings = [];
  for (const line of text.split('\n')) {
    const mapping = parseMapping(line);
    if (mapping) mappings.push(mapping);
  }
  return mappings;
}

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
