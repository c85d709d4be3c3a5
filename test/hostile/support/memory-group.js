/** A memory control group for a TV: the kernel kills a process that makes the group exceed its limit. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

/**
 * How each version of control groups names its files.
 * Sources: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of Linux.
 */
const VERSIONS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', kills: 'memory.oom_control' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', kills: 'memory.events' },
];

/**
 * @typedef {object} MemoryGroup
 * @property {string} path a process joins by writing its id to `cgroup.procs` in this folder
 * @property {() => number} kills returns how many processes the kernel has killed
 * @property {() => void} remove call it when no process is left in the group
 */

/**
 * Creates a memory control group where this user may.
 * @param {number} limitBytes
 * @returns {MemoryGroup | undefined} undefined where this needs another user or another kernel
 */
export function createMemoryGroup(limitBytes) {
  for (const { root, limit, kills } of VERSIONS) {
    const path = `${root}/pitv-hostile-${process.pid}-${performance.now().toFixed(0)}`;
    try {
      mkdirSync(path);
    } catch {
      continue;
    }
    if (existsSync(`${path}/${limit}`)) {
      writeFileSync(`${path}/${limit}`, String(limitBytes));
      return {
        path,
        kills: () => {
          const found = /^oom_kill (\d+)/m.exec(readFileSync(`${path}/${kills}`, 'utf8'));
          return Number(found?.[1] ?? 0);
        },
        remove: () => rmdirSync(path),
      };
    }
    rmdirSync(path); // the memory controller is not available in this hierarchy
  }
  return undefined;
}
