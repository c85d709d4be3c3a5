/** Measures the memory that this process can still use, also in a container. */
import os from 'node:os';
import { join } from 'node:path';
import { readText } from './process-tree.js';

/**
 * Returns the file pages of this process's control group that the kernel reclaims first: inactive_file of memory.stat
 * (Documentation/admin-guide/cgroup-v2.rst in the kernel's sources).
 * @param {string} [root] prefix of each path, for tests
 * @returns {number} bytes; 0 where there is no control group for memory
 */
export function reclaimableBytes(root = '') {
  const groups = readText(join(root, '/proc/self/cgroup')) ?? '';
  const v1 = /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(.*)$/m.exec(groups)?.[1];
  const v2 = /^0::(.*)$/m.exec(groups)?.[1];
  // In a container, the path may be that of the host although the group's files are at the top.
  const [folder, path, field] =
    v1 === undefined
      ? ['/sys/fs/cgroup', v2, 'inactive_file']
      : ['/sys/fs/cgroup/memory', v1, 'total_inactive_file'];
  if (path === undefined) return 0;
  const stat =
    readText(join(root, folder, path, 'memory.stat')) ||
    readText(join(root, folder, 'memory.stat'));
  return Number(new RegExp(`^${field} (\\d+)$`, 'm').exec(stat ?? '')?.[1] ?? 0);
}

/**
 * Returns the memory that can be used without swapping. process.availableMemory() subtracts the page cache of a
 * container from its limit, although the kernel reclaims the cache when memory is needed. This adds it back.
 * @param {{free?: number, machine?: number, reclaimable?: number}} [now] for tests, in bytes
 * @returns {number} bytes
 */
export function availableBytes({
  free = process.availableMemory?.() ?? os.freemem(), // Node.js 20.13 and later
  machine = os.freemem(), // MemAvailable of /proc/meminfo
  reclaimable = reclaimableBytes(),
} = {}) {
  return Math.min(machine, free + reclaimable);
}
