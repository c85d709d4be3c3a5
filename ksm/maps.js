/**
 * Reads /proc/PID/maps and /proc/PID/smaps: see proc_pid_maps(5) and proc_pid_smaps(5).
 *
 * Addresses are kept as numbers: user space ends below 2^47 (2^56 with five-level page tables, and
 * only for those who ask for it), and a double is exact to 2^53. The one mapping above, [vsyscall],
 * is a kernel's, and nobody does anything with it.
 */

/**
 * @typedef {object} Mapping
 * @property {number} start address @property {number} end address, exclusive
 * @property {number} bytes
 * @property {boolean} readable @property {boolean} writable @property {boolean} executable
 * @property {boolean} shared 's' instead of 'p'
 * @property {number} inode 0: no file behind it
 * @property {string} name path, '[heap]', '[anon:...]' ... or ''
 * @property {boolean} deleted the file behind it is gone
 */

const LINE =
  /^([0-9a-f]+)-([0-9a-f]+) ([r-])([w-])([x-])([sp]) [0-9a-f]+ [0-9a-f]+:[0-9a-f]+ (\d+)(?: +(.*))?$/;
const DELETED = ' (deleted)';

/**
 * @param {string} line
 * @returns {Mapping | undefined} undefined for a line of another form
 */
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
    end,
    bytes: end - start,
    readable: r === 'r',
    writable: w === 'w',
    executable: x === 'x',
    shared: share === 's',
    inode: Number(inode),
    name: deleted ? rest.slice(0, -DELETED.length) : rest,
    deleted,
  };
}

/**
 * @param {string} text a maps file
 * @returns {Mapping[]} lines of another form are left out
 */
export function parseMaps(text) {
  const mappings = [];
  for (const line of text.split('\n')) {
    const mapping = parseMapping(line);
    if (mapping) mappings.push(mapping);
  }
  return mappings;
}

/** Names in brackets that are ordinary private memory; every other one is the kernel's own. */
const OWN = /^\[(heap|stack(:\d+)?|anon:.*)\]$/;

/**
 * Private memory with no file behind it: malloc's heaps, V8's, every stack. What the paper marked.
 * @param {Mapping} mapping
 */
export function isPrivateAnonymous({ shared, inode, name }) {
  return !shared && inode === 0 && (name === '' || OWN.test(name));
}

/**
 * The fields of smaps or smaps_rollup, summed over all mappings in it, KiB.
 * @param {string} text
 * @returns {Record<string, number>} e.g. {Rss, Pss, Pss_Anon, KSM, ...}
 */
export function sumSmaps(text) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const found of text.matchAll(/^([A-Z]\w+): +(\d+) kB$/gm)) {
    sums[found[1]] = (sums[found[1]] ?? 0) + Number(found[2]);
  }
  return sums;
}
