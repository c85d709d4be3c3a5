/** Counts descriptors, shared memory and processes of a TV, to find leaks. */
import { descriptorsOf, groupOf, isAlive } from '../support/serve.js';

/** @typedef {{descriptors: number, memfds: number, processes: number}} Counts */

/**
 * Counts the resources of a TV. The main process holds one descriptor for each retired zygote that still has
 * children; these descriptors are not counted.
 * @param {import('../support/serve.js').ServeChild} serve
 * @returns {Counts}
 */
export function countOf(serve) {
  const descriptors = descriptorsOf(serve.pid);
  // A zygote leads a process group.
  const zygotes = new Set([...serve.workers.values()].filter(isAlive).map(groupOf));
  zygotes.delete(serve.zygotePid);
  return {
    descriptors: descriptors.length - zygotes.size,
    memfds: descriptors.filter((target) => target.startsWith('/memfd:')).length,
    processes: serve.processes().length,
  };
}

/** Adds up by how much counts exceed a baseline. @param {Counts} counts @param {Counts} baseline @returns {number} */
export const excess = (counts, baseline) =>
  Object.entries(counts)
    .map(([name, count]) => Math.max(0, count - Reflect.get(baseline, name)))
    .reduce((sum, more) => sum + more, 0);
