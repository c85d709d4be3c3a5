/** Reads the private anonymous pages of a process: /proc/PID/pagemap and /proc/PID/mem, see proc(5). */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { KsmError, codeOf } from './errors.js';
import { isPrivateAnonymous, parseMaps } from './maps.js';
import { tryNative } from './native.js';

const PAGEMAP_ENTRY_BYTES = 8;
const PRESENT = 1n << 63n;
const FRAME = (1n << 55n) - 1n;

/** @typedef {'V8' | 'malloc' | 'stack' | 'data' | 'other'} MappingKind */
/**
 * @typedef {object} Page
 * @property {number} address @property {MappingKind} kind @property {Buffer} bytes
 * @property {bigint} frame number of the physical page; 0 for other users than root
 */
/** @typedef {{pages: Page[], mappings: import('./maps.js').Mapping[], pageBytes: number}} Snapshot */

/**
 * Reads all resident pages of a process's private anonymous memory. The process keeps running meanwhile.
 * @param {number} pid
 * @returns {Snapshot}
 * @throws {KsmError} KSM_USAGE: there is no such process; KSM_PERMISSION: this user may not read its memory
 */
export function readPages(pid) {
  const pageBytes = tryNative()?.pageBytes ?? 4096;
  /** @type {number[]} descriptors of pagemap and mem */
  const files = [];
  try {
    const smaps = readFileSync(`/proc/${pid}/smaps`, 'latin1');
    for (const name of ['pagemap', 'mem']) files.push(openSync(`/proc/${pid}/${name}`, 'r'));
    const mappings = parseMaps(smaps);
    const dontFork = flaggedStarts(smaps, 'dc');
    const pages = mappings.flatMap((mapping, i) => {
      if (!isPrivateAnonymous(mapping) || !mapping.readable) return [];
      return residentPages(mapping, kindOf(mapping, mappings[i - 1], dontFork), files, pageBytes);
    });
    return { pages, mappings, pageBytes };
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(codeOf(error))) {
      throw new KsmError('KSM_USAGE', `There is no process ${pid}.`, { cause: error });
    }
    if (['EACCES', 'EPERM'].includes(codeOf(error))) {
      const message = `The memory of process ${pid} can only be read by root or its owner. Use sudo.`;
      throw new KsmError('KSM_PERMISSION', message, { cause: error });
    }
    throw error;
  } finally {
    for (const descriptor of files) closeSync(descriptor);
  }
}

/** Returns the start addresses of mappings with a flag in VmFlags. @param {string} smaps @param {string} flag */
function flaggedStarts(smaps, flag) {
  const starts = new Set();
  for (const block of smaps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)) {
    const flags = /^VmFlags: (.*)$/m.exec(block)?.[1].split(' ') ?? [];
    if (flags.includes(flag)) starts.add(parseInt(block, 16));
  }
  return starts;
}

/**
 * Classifies a mapping.
 * @param {import('./maps.js').Mapping} mapping
 * @param {import('./maps.js').Mapping | undefined} before the mapping below it
 * @param {Set<number>} dontFork start addresses of mappings with MADV_DONTFORK, which V8 sets for its heap
 * @returns {MappingKind}
 */
function kindOf({ start, name }, before, dontFork) {
  if (name === '[heap]') return 'malloc';
  if (name.startsWith('[stack')) return 'stack';
  if (dontFork.has(start)) return 'V8';
  if (before && before.inode > 0 && before.end === start) return 'data'; // .bss follows .data
  return 'other';
}

/**
 * Reads the resident pages of a mapping.
 * @param {import('./maps.js').Mapping} mapping @param {MappingKind} kind
 * @param {number[]} files see readPages() @param {number} pageBytes
 * @returns {Page[]}
 */
function residentPages(mapping, kind, [pagemap, memory], pageBytes) {
  const count = mapping.bytes / pageBytes;
  const entries = Buffer.alloc(count * PAGEMAP_ENTRY_BYTES);
  const at = (mapping.start / pageBytes) * PAGEMAP_ENTRY_BYTES;
  const read = readSync(pagemap, entries, 0, entries.length, at);
  const pages = [];
  for (let i = 0; (i + 1) * PAGEMAP_ENTRY_BYTES <= read; i++) {
    const entry = entries.readBigUInt64LE(i * PAGEMAP_ENTRY_BYTES);
    if ((entry & PRESENT) === 0n) continue;
    const address = mapping.start + i * pageBytes;
    const bytes = Buffer.allocUnsafe(pageBytes);
    try {
      if (readSync(memory, bytes, 0, pageBytes, address) < pageBytes) continue;
    } catch (error) {
      if (codeOf(error) !== 'EIO') throw error; // unmapped in the meantime
      continue;
    }
    pages.push({ address, kind, bytes, frame: entry & FRAME });
  }
  return pages;
}
