/** Finds the descendants of a process (proc(5)). */
import { readFileSync, readdirSync } from 'node:fs';

/** Index of the parent's pid in statOf(). */
const PARENT = 1;
/** USER_HZ, the unit of times in stat; fixed by the user-space ABI of Linux on arm and x86. */
export const TICKS_PER_SECOND = 100;

/**
 * Reads a file on the calling thread.
 * @param {string} path @returns {string | undefined} undefined: the file or the process does not exist
 */
export function readText(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

/** Returns the fields of a stat behind the name of the process. @param {string} stat @returns {string[]} */
export const fieldsOf = (stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/**
 * Reads the stat of a process (proc(5)).
 * @param {number | string} pid @param {string} [proc]
 * @returns {string[]} its fields from the third on; none: it has ended
 */
export function statOf(pid, proc = '/proc') {
  const stat = readText(`${proc}/${pid}/stat`);
  return stat === undefined ? [] : fieldsOf(stat);
}

/** @param {string} path @returns {string[]} names in a directory that are numbers; none if it does not exist */
function numbersIn(path) {
  try {
    return readdirSync(path).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/**
 * Returns the children that the threads of a process have started.
 * @param {number} pid @param {string} proc
 * @returns {number[] | undefined} undefined: the kernel has no such lists (CONFIG_PROC_CHILDREN)
 */
function childrenOf(pid, proc) {
  const children = [];
  const threads = numbersIn(`${proc}/${pid}/task`);
  let lists = 0;
  for (const thread of threads) {
    const list = readText(`${proc}/${pid}/task/${thread}/children`);
    if (list === undefined) continue;
    lists++;
    children.push(...(list.match(/\d+/g) ?? []).map(Number));
  }
  return lists === 0 && threads.length > 0 ? undefined : children;
}

/** Returns the children of each process. @param {string} proc @returns {Map<number, number[]>} */
function allChildren(proc) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  for (const name of numbersIn(proc)) {
    const parent = Number(statOf(name, proc)[PARENT]); // NaN: it has ended
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

/**
 * Returns a process and all of its descendants at this moment. A process that starts or ends meanwhile
 * may be missing.
 * @param {number} [root] pid; this process by default
 * @param {string} [proc] directory of procfs, for tests
 * @returns {number[]} pids, parents before their children
 */
export function processTree(root = process.pid, proc = '/proc') {
  const tree = [root];
  /** @type {Map<number, number[]> | undefined} */
  let all;
  for (const pid of tree) {
    const children = childrenOf(pid, proc) ?? (all ??= allChildren(proc)).get(pid);
    tree.push(...(children ?? []));
  }
  return tree;
}
