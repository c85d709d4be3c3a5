/**
 * What KSM does for single processes: /proc/PID/ksm_stat (Linux 6.1), ksm_merging_pages and the
 * fields of smaps_rollup. Files of other users' processes can only be read by root: what can't be
 * read is undefined.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { sumSmaps } from './maps.js';

/**
 * @typedef {object} ProcessFigures
 * @property {number} pid @property {string} name
 * @property {number | undefined} pssKib @property {number | undefined} anonKib the anonymous part of PSS
 * @property {number | undefined} ksmKib size of the mapped pages that KSM merged (smaps `KSM:`, Linux 6.7)
 * @property {number | undefined} mergingPages merged pages that this process maps
 * @property {number | undefined} rmapItems pages of it that ksmd keeps track of
 * @property {number | undefined} zeroPages
 * @property {number | undefined} profitBytes may be negative
 * @property {boolean} mergeable marked, as far as the kernel tells
 */

/**
 * @param {string} text ksm_stat: lines `name value` or `name: yes`
 * @returns {Record<string, string>}
 */
export function parseKsmStat(text) {
  /** @type {Record<string, string>} */
  const fields = {};
  for (const found of text.matchAll(/^(\w+):? +(\S+)$/gm)) fields[found[1]] = found[2];
  return fields;
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined; // ended in the meantime, not ours, or a kernel without this file
  }
}

/** @param {string | undefined} text */
const numeric = (text) => (text === undefined ? undefined : Number(text));

/**
 * What costs next to nothing to ask: the kernel has counted it already.
 * @param {number} pid
 * @param {string} [proc]
 */
export function ksmFigures(pid, proc = '/proc') {
  const stat = parseKsmStat(read(`${proc}/${pid}/ksm_stat`) ?? '');
  const merging = stat.ksm_merging_pages ?? read(`${proc}/${pid}/ksm_merging_pages`)?.trim();
  return {
    mergingPages: numeric(merging),
    rmapItems: numeric(stat.ksm_rmap_items),
    zeroPages: numeric(stat.ksm_zero_pages),
    profitBytes: numeric(stat.ksm_process_profit),
    mergeable: isMarked(stat),
  };
}

/**
 * All of it; for smaps_rollup the kernel walks the process's page tables, which takes milliseconds.
 * @param {number} pid
 * @param {string} [proc]
 * @returns {ProcessFigures | undefined} undefined when there is no such process
 */
export function processFigures(pid, proc = '/proc') {
  const name = read(`${proc}/${pid}/comm`)?.trim();
  if (name === undefined) return undefined;
  const rollup = sumSmaps(read(`${proc}/${pid}/smaps_rollup`) ?? '');
  return {
    pid,
    name,
    pssKib: rollup.Pss,
    anonKib: rollup.Pss_Anon,
    ksmKib: rollup.KSM,
    ...ksmFigures(pid, proc),
  };
}

/** @param {Record<string, string>} stat */
function isMarked(stat) {
  return (
    stat.ksm_merge_any === 'yes' || stat.ksm_mergeable === 'yes' || Number(stat.ksm_rmap_items) > 0
  );
}

/**
 * Is this process marked? Kernels before 6.16 do not tell in ksm_stat until ksmd has been there, so
 * the flags of its mappings are looked at (VmFlags `mg`), which costs more.
 * @param {number} pid
 * @param {string} [proc]
 */
export function isMergeable(pid, proc = '/proc') {
  const stat = parseKsmStat(read(`${proc}/${pid}/ksm_stat`) ?? '');
  if (isMarked(stat)) return true;
  if (stat.ksm_merge_any !== undefined && stat.ksm_mergeable !== undefined) return false;
  return /^VmFlags:.* mg\b/m.test(read(`${proc}/${pid}/smaps`) ?? '');
}

/**
 * @param {string} [proc]
 * @returns {number[]} every pid
 */
export function listPids(proc = '/proc') {
  return readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/**
 * Every process that KSM has to do with, as far as this user may see.
 * @param {string} [proc]
 * @returns {ProcessFigures[]}
 */
export function mergeableProcesses(proc = '/proc') {
  const found = [];
  for (const pid of listPids(proc)) {
    const stat = read(`${proc}/${pid}/ksm_stat`);
    if (stat === undefined || !isMergeable(pid, proc)) continue;
    const figures = processFigures(pid, proc);
    if (figures) found.push({ ...figures, mergeable: true });
  }
  return found;
}

/** A process is looked at in its 1st, 2nd, 4th ... turn after it appeared, and then each 64th. */
const LONGEST_WAIT = 64;

/**
 * Notices processes that are marked for KSM since the last look. It may take a program many seconds
 * to come so far, but reading all of /proc each time would cost more than it brings: a pid is looked
 * at ever less often, and no more once it is marked.
 */
export class ProcessWatch {
  /** @type {Map<number, number>} pid -> turns since it appeared; -1 when marked */
  #turns = new Map();
  #mergeable = 0;
  #proc;

  /** @param {string} [proc] */
  constructor(proc = '/proc') {
    this.#proc = proc;
  }

  /** @returns {{started: number[], mergeable: number}} newly marked pids, and how many are marked */
  look() {
    const pids = listPids(this.#proc);
    const alive = new Set(pids);
    for (const [pid, turn] of this.#turns) {
      if (alive.has(pid)) continue;
      this.#turns.delete(pid);
      if (turn < 0) this.#mergeable--;
    }
    const started = [];
    for (const pid of pids) {
      const before = this.#turns.get(pid) ?? 0;
      if (before < 0) continue;
      const turn = before + 1;
      const due = turn % LONGEST_WAIT === 0 || (turn < LONGEST_WAIT && (turn & (turn - 1)) === 0);
      const marked = due && isMergeable(pid, this.#proc);
      this.#turns.set(pid, marked ? -1 : turn);
      if (marked) started.push(pid);
    }
    this.#mergeable += started.length;
    return { started, mergeable: this.#mergeable };
  }
}
