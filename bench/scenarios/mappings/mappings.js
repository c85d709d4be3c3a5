/** Where a process's memory is: the PSS of its mappings by what they are (/proc/PID/smaps, proc(5)). */
import { readFileSync } from 'node:fs';

/** What a mapping can be. `anonymous`: V8's heaps, stacks, and malloc's large blocks. */
export const KINDS = /** @type {const} */ (['node', 'files', 'written', 'anonymous', 'malloc']);

/** @typedef {Record<(typeof KINDS)[number], number>} Parts KiB */

/** Node.js itself, be it one program or, as Debian has it, a library. */
const NODE = /\/(node|libnode\.so[.\d]*)$/;
const MAPPING = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)$/;
const FIELD = /^(Pss|Pss_Dirty): +(\d+) kB$/;

/** @param {string} path of a mapping; empty when it has none @returns {(typeof KINDS)[number]} */
function kindOf(path) {
  if (path === '[heap]') return 'malloc';
  if (!path.startsWith('/') || path.startsWith('/memfd:')) return 'anonymous';
  return NODE.test(path) ? 'node' : 'files';
}

/** @param {string} smaps @returns {Parts} */
export function parseMappings(smaps) {
  const parts = { node: 0, files: 0, written: 0, anonymous: 0, malloc: 0 };
  /** @type {(typeof KINDS)[number]} */
  let kind = 'anonymous';
  for (const line of smaps.split('\n')) {
    const mapping = MAPPING.exec(line);
    if (mapping) kind = kindOf(mapping[1]);
    const [, field, kib] = FIELD.exec(line) ?? [];
    if (field === 'Pss') parts[kind] += Number(kib);
    // A file's pages that have been written to are the process's own, and no longer the file's.
    else if (field && (kind === 'node' || kind === 'files')) {
      parts[kind] -= Number(kib);
      parts.written += Number(kib);
    }
  }
  return parts;
}

/** @param {number} pid @returns {Parts | undefined} undefined: it has ended */
export function mappingsOf(pid) {
  try {
    return parseMappings(readFileSync(`/proc/${pid}/smaps`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** @param {Parts} parts @returns {number} KiB */
export const total = (parts) => KINDS.reduce((sum, kind) => sum + parts[kind], 0);

/** @param {Parts[]} all @returns {Parts} */
export function sumOf(all) {
  const sums = KINDS.map((kind) => [kind, all.reduce((sum, parts) => sum + parts[kind], 0)]);
  return Object.fromEntries(sums);
}
