/** Counts what a TV holds, so that a leak shows. */
import { descriptorsOf, groupOf, isAlive } from '../support/serve.js';

/** @typedef {{descriptors: number, memfds: number, processes: number}} Counts */

/**
 * @param {import('../support/serve.js').ServeChild} serve
 * @returns {Counts} descriptors of the main process without the one that it holds open for each zygote that
 *   forks no more and has children; a zygote leads a process group
 */
export function countOf(serve) {
  const descriptors = descriptorsOf(serve.pid);
  const zygotes = new Set([...serve.workers.values()].filter(isAlive).map(groupOf));
  zygotes.delete(serve.zygotePid);
  return {
    descriptors: descriptors.length - zygotes.size,
    memfds: descriptors.filter((target) => target.startsWith('/memfd:')).length,
    processes: serve.processes().length,
  };
}

/** @param {Counts} counts @param {Counts} baseline @returns {number} all that there is more of */
export const excess = (counts, baseline) =>
  Object.entries(counts)
    .map(([name, count]) => Math.max(0, count - Reflect.get(baseline, name)))
    .reduce((sum, more) => sum + more, 0);
