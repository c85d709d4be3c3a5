/** What Linux tells about a tree of processes (proc(5)): memory in its parts, CPU time. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';

/** @param {string} path @returns {string} empty when it is gone */
function text(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** USER_HZ, the unit of times in stat: fixed by Linux's user-space ABI on arm and x86. */
const TICKS_PER_SECOND = 100;

/** @param {number} pid @returns {number[]} the numbers of its stat from the third on; none when it is gone */
function statOf(pid) {
  const stat = text(`/proc/${pid}/stat`);
  return stat === ''
    ? []
    : stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
}

/** @param {number} pid */
const parentOf = (pid) => statOf(pid)[1] ?? 0;

/** @param {number} root @returns {number[]} it and all below it, as of now */
export function processTree(root) {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(Number(name)) }));
  const tree = [root];
  for (const pid of tree) {
    tree.push(...parents.filter(({ parent }) => parent === pid).map((child) => child.pid));
  }
  return tree;
}

/**
 * CPU time so far of all threads that run now, without the grain of 10 ms that stat has (scheduler
 * statistics, Documentation/scheduler/sched-stats.rst), which not every kernel keeps.
 * @param {number[]} pids
 * @returns {number} ms
 */
export function cpuMs(pids) {
  let nanoseconds = 0;
  for (const pid of pids) {
    try {
      for (const tid of readdirSync(`/proc/${pid}/task`)) {
        const told = text(`/proc/${pid}/task/${tid}/schedstat`);
        if (told === '' && !existsSync('/proc/self/schedstat')) return cpuMsOfAll(pids);
        nanoseconds += Number(told.split(' ')[0]);
      }
    } catch {
      // It has ended.
    }
  }
  return nanoseconds / 1e6;
}

/**
 * CPU time so far with that of threads and children that have ended (and been waited for); grain 10 ms.
 * @param {number[]} pids
 * @returns {number} ms
 */
export function cpuMsOfAll(pids) {
  const ticks = pids.flatMap((pid) => statOf(pid).slice(11, 15)); // utime, stime, cutime, cstime
  return (ticks.reduce((sum, value) => sum + value, 0) * 1000) / TICKS_PER_SECOND;
}

/**
 * @typedef {object} Memory KiB, summed over processes
 * @property {number} pss every page divided by the number of processes that map it
 * @property {number} uss pages that no other process maps
 * @property {number} dirty the part of pss that has been written to
 * @property {number} anon heap, stacks @property {number} file programs, libraries
 * @property {number} shmem shared memory: the mailboxes
 * @property {number} ksm pages that ksmd has merged, each counted as often as it is mapped
 */

/** The kernel's names of them. Pss_Anon and the like came with Linux 5.4, Pss_Dirty 6.0, KSM 6.8. */
const FIELDS = Object.entries({
  pss: ['Pss'],
  uss: ['Private_Clean', 'Private_Dirty', 'Private_Hugetlb'],
  dirty: ['Pss_Dirty'],
  anon: ['Pss_Anon'],
  file: ['Pss_File'],
  shmem: ['Pss_Shmem'],
  ksm: ['KSM'],
});
const NAMES = /** @type {(keyof Memory)[]} */ (FIELDS.map(([name]) => name));

/**
 * @param {string} rollup of smaps_rollup, or of smaps, whose lines are added up
 * @returns {Memory} NaN for what this kernel does not tell
 */
export function parseRollup(rollup) {
  /** @param {string} field */
  const kib = (field) => {
    const found = [...rollup.matchAll(new RegExp(`^${field}:\\s+(\\d+) kB`, 'gm'))];
    return found.length > 0 ? found.reduce((sum, [, value]) => sum + Number(value), 0) : NaN;
  };
  const sum = (/** @type {string[]} */ fields) =>
    fields.map(kib).reduce((a, b) => (Number.isNaN(b) && !Number.isNaN(a) ? a : a + b));
  const parts = FIELDS.map(([name, fields]) => [name, sum(fields)]);
  return Object.fromEntries(parts);
}

/**
 * @param {number[]} pids processes that have ended count nothing
 * @returns {Memory} NaN for what this kernel does not tell
 */
export function memoryOf(pids) {
  const each = pids
    // smaps_rollup came with Linux 4.14.
    .map((pid) => text(`/proc/${pid}/smaps_rollup`) || text(`/proc/${pid}/smaps`))
    .filter((rollup) => rollup !== '')
    .map(parseRollup);
  const sums = NAMES.map((name) => [name, each.reduce((sum, memory) => sum + memory[name], 0)]);
  return Object.fromEntries(sums);
}
