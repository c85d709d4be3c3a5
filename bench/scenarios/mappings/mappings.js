/** Reads the PSS of a process by kind of mapping (/proc/PID/smaps, proc(5)). */
import { readFileSync } from 'node:fs';

/** Kinds of mappings. `anonymous`: V8's heaps, stacks, and malloc's large blocks. */
export const KINDS = /** @type {const} */ (['node', 'files', 'written', 'anonymous', 'malloc']);

/** Kinds that the kernel can't drop when memory is short. @type {readonly (typeof KINDS)[number][]} */
export const UNRECLAIMABLE = ['written', 'anonymous', 'malloc'];

/** @typedef {Record<(typeof KINDS)[number], number>} Parts KiB */

/** Node.js itself: a program, or a library in Debian. */
const NODE = /\/(node|libnode\.so[.\d]*)$/;
const MAPPING = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)$/;
const FIELD = /^(Pss|Pss_Dirty|Anonymous): +(\d+) kB$/;

/** @param {string} path of a mapping; empty without one @returns {(typeof KINDS)[number]} */
function kindOf(path) {
  if (path === '[heap]') return 'malloc';
  if (!path.startsWith('/') || path.startsWith('/memfd:')) return 'anonymous';
  return NODE.test(path) ? 'node' : 'files';
}

/** Sums up the PSS in a smaps file. @param {string} smaps @returns {Parts} */
export function parseMappings(smaps) {
  const parts = { node: 0, files: 0, written: 0, anonymous: 0, malloc: 0 };
  /** @type {(typeof KINDS)[number]} */
  let kind = 'anonymous';
  let dirty = 0;
  for (const line of smaps.split('\n')) {
    const mapping = MAPPING.exec(line);
    if (mapping) kind = kindOf(mapping[1]);
    const [, field, kib] = FIELD.exec(line) ?? [];
    if (field === 'Pss') parts[kind] += Number(kib);
    else if (field === 'Pss_Dirty') dirty = Number(kib);
    // Written pages of a private mapping are copies that belong to the process, anonymous memory. Other dirty pages are
    // those of a file that has just been installed.
    else if (field === 'Anonymous' && (kind === 'node' || kind === 'files')) {
      const written = Math.min(dirty, Number(kib));
      parts[kind] -= written;
      parts.written += written;
    }
  }
  return parts;
}

/** Measures a process. @param {number} pid @returns {Parts | undefined} undefined if it has ended */
export function mappingsOf(pid) {
  try {
    return parseMappings(readFileSync(`/proc/${pid}/smaps`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** Sums up all kinds. @param {Parts} parts @returns {number} KiB */
export const total = (parts) => KINDS.reduce((sum, kind) => sum + parts[kind], 0);

/** Sums up several processes. @param {Parts[]} all @returns {Parts} */
export function sumOf(all) {
  const sums = KINDS.map((kind) => [kind, all.reduce((sum, parts) => sum + parts[kind], 0)]);
  return Object.fromEntries(sums);
}
