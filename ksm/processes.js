/**
 * Reads the KSM figures of processes: /proc/PID/ksm_stat (Linux 6.1), ksm_merging_pages and the fields of smaps_rollup.
 * Only root can read the files of other users' processes. Figures that cannot be read are undefined.
 */
import { listPids, readText, sumSmaps } from './proc.js';

/** Reads ksm_stat, which has lines `name value` or `name: yes`. @param {number} pid @param {string} proc */
function readKsmStat(pid, proc) {
  /** @type {Record<string, string>} */
  const fields = {};
  const text = readText(`${proc}/${pid}/ksm_stat`) ?? '';
  for (const found of text.matchAll(/^(\w+):? +(\S+)$/gm)) fields[found[1]] = found[2];
  return fields;
}

/** @param {string | undefined} text */
const numeric = (text) => (text === undefined ? undefined : Number(text));

/** Reads the figures that the kernel counts anyway, which is cheap. @param {number} pid @param {string} [proc] */
export function ksmFigures(pid, proc = '/proc') {
  const stat = readKsmStat(pid, proc);
  const merging = stat.ksm_merging_pages ?? readText(`${proc}/${pid}/ksm_merging_pages`)?.trim();
  return {
    mergingPages: numeric(merging), // merged pages that this process maps
    rmapItems: numeric(stat.ksm_rmap_items), // its pages that ksmd tracks
    zeroPages: numeric(stat.ksm_zero_pages),
    profitBytes: numeric(stat.ksm_process_profit),
    mergeable: isMarked(stat), // older kernels may not report it
  };
}

/**
 * Reads all figures of a process, if there is one. For smaps_rollup, the kernel walks the page tables of the process,
 * which takes milliseconds.
 * @param {number} pid @param {string} [proc]
 */
export function processFigures(pid, proc = '/proc') {
  const name = readText(`${proc}/${pid}/comm`)?.trim();
  if (name === undefined) return undefined;
  const rollup = sumSmaps(readText(`${proc}/${pid}/smaps_rollup`) ?? '');
  return {
    pid,
    name,
    pssKib: rollup.Pss,
    anonKib: rollup.Pss_Anon, // the anonymous part of PSS
    ksmKib: rollup.KSM, // size of the mapped pages that KSM merged (Linux 6.7)
    ...ksmFigures(pid, proc),
  };
}

/** @param {Record<string, string>} stat */
const isMarked = (stat) =>
  stat.ksm_merge_any === 'yes' || stat.ksm_mergeable === 'yes' || Number(stat.ksm_rmap_items) > 0;

/**
 * Returns whether a process is marked. Before Linux 6.16, ksm_stat does not show the mark until ksmd has scanned the
 * process; then this reads the flags of its mappings (VmFlags `mg`), which takes longer.
 * @param {number} pid @param {string} [proc]
 */
export function isMergeable(pid, proc = '/proc') {
  const stat = readKsmStat(pid, proc);
  if (isMarked(stat)) return true;
  if (stat.ksm_merge_any !== undefined && stat.ksm_mergeable !== undefined) return false;
  return /^VmFlags:.* mg\b/m.test(readText(`${proc}/${pid}/smaps`) ?? '');
}

/** Reads the figures of every marked process that this user may read. @param {string} [proc] */
export function mergeableProcesses(proc = '/proc') {
  const found = [];
  for (const pid of listPids(proc)) {
    const stat = readText(`${proc}/${pid}/ksm_stat`);
    if (stat === undefined || !isMergeable(pid, proc)) continue;
    const figures = processFigures(pid, proc);
    if (figures) found.push({ ...figures, mergeable: true });
  }
  return found;
}

/** A process is checked in its 1st, 2nd, 4th, ... poll after it appeared, and then in every 64th. */
const MAX_POLLS_BETWEEN = 64;

/** @typedef {{polls: number, startTicks: string, marked: boolean}} Known startTicks: tells it from a later process */

/** Reads the time at which a process started (proc_pid_stat(5)). @param {number} pid @param {string} proc */
const readStartTicks = (pid, proc) =>
  readText(`${proc}/${pid}/stat`)?.split(') ').at(-1)?.split(' ')[19] ?? '';

/**
 * Finds processes that have been marked since the last poll. A program may mark itself many seconds after its start,
 * but checking every process in each poll would cost too much. So the older a process is, the less often it is checked;
 * a marked process is not checked again.
 */
export class ProcessWatch {
  /** @type {Map<number, Known>} by pid */
  #known = new Map();
  /** The newest pid at the last poll. */
  #newest = 0;
  #mergeable = 0;
  #proc;

  /** @param {string} [proc] */
  constructor(proc = '/proc') {
    this.#proc = proc;
  }

  /**
   * Checks the processes that are due.
   * @returns {{started: number[], mergeable: number}} the newly marked pids, and the number of marked processes
   */
  poll() {
    const isNew = this.#findNew();
    const pids = listPids(this.#proc);
    const alive = new Set(pids);
    for (const pid of this.#known.keys()) if (!alive.has(pid)) this.#forget(pid);
    const started = [];
    for (const pid of pids) {
      const known = this.#known.get(pid);
      const polls = (known?.polls ?? 0) + 1;
      const isPowerOfTwo = (polls & (polls - 1)) === 0;
      const due = polls < MAX_POLLS_BETWEEN ? isPowerOfTwo : polls % MAX_POLLS_BETWEEN === 0;
      if (known) known.polls = polls;
      if (known && !due && !known.marked && !isNew(pid)) continue;
      if (this.#check(pid, due)) started.push(pid);
    }
    this.#mergeable += started.length;
    return { started, mergeable: this.#mergeable };
  }

  /**
   * Checks a process, or its successor with the same pid.
   * @param {number} pid @param {boolean} due whether its marks are read, if it is no successor
   * @returns {boolean} whether it has been marked since they were read
   */
  #check(pid, due) {
    const startTicks = readStartTicks(pid, this.#proc);
    const known = this.#known.get(pid);
    const isSame = known?.startTicks === startTicks;
    if (known && !isSame) this.#forget(pid);
    if (isSame && (known?.marked || !due)) return false;
    const marked = isMergeable(pid, this.#proc);
    this.#known.set(pid, { polls: isSame ? known.polls : 1, startTicks, marked });
    return marked;
  }

  /** @param {number} pid */
  #forget(pid) {
    if (this.#known.get(pid)?.marked) this.#mergeable--;
    this.#known.delete(pid);
  }

  /** Returns which pids may be new: the kernel counts up, then starts over. @returns {(pid: number) => boolean} */
  #findNew() {
    const before = this.#newest;
    const newest = Number(readText(`${this.#proc}/loadavg`)?.trim().split(' ')[4]);
    if (!newest) return () => true;
    this.#newest = newest;
    return newest >= before
      ? (pid) => pid > before && pid <= newest
      : (pid) => pid > before || pid <= newest;
  }
}
