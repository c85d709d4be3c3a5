/** Takes one sample of everything that a TV could leak. */
import { readdirSync } from 'node:fs';
import { memoryOf } from '../../bench/machine/proc.js';
import { descriptorsOf } from '../support/serve.js';

/** What each series may do in an hour, see judge.js. */
export const SERIES = Object.freeze({
  memoryKib: { negligible: 512, bound: 4096 },
  descriptors: { negligible: 0.5, bound: 2 },
  processes: { negligible: 0.5, bound: 1 },
  dataFiles: { negligible: 0.5, bound: 2 },
  shmFiles: { negligible: 0.5, bound: 1 },
  memfds: { negligible: 0.5, bound: 1 },
});

/** @typedef {Record<keyof typeof SERIES, number>} Sample */

/** @param {string} folder @returns {number} files in it and below */
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length;

/**
 * @param {import('../support/serve.js').ServeChild} serve @param {string} dataDir
 * @returns {Sample} memory: anonymous and shared memory (PSS) of all processes, which the kernel cannot
 *   reclaim without swap; files in /dev/shm that a process has open, deleted ones too
 */
export function takeSample(serve, dataDir) {
  const pids = serve.processes();
  const { anon, shmem } = memoryOf(pids);
  const descriptors = pids.flatMap(descriptorsOf);
  return {
    memoryKib: anon + shmem,
    descriptors: descriptors.length,
    processes: pids.length,
    dataFiles: filesIn(dataDir),
    shmFiles: descriptors.filter((target) => target.startsWith('/dev/shm/')).length,
    memfds: descriptors.filter((target) => target.startsWith('/memfd:')).length,
  };
}
