/** Samples everything that a TV could leak. */
import { readdirSync } from 'node:fs';
import { memoryOfSync } from '../../app/process/memory-account.js';
import { descriptorsOf } from '../support/serve.js';

/** The rule for each series, per hour; see judge.js. */
export const SERIES = Object.freeze({
  memoryKib: { negligible: 512, bound: 4096 },
  descriptors: { negligible: 0.5, bound: 2 },
  processes: { negligible: 0.5, bound: 1 },
  dataFiles: { negligible: 0.5, bound: 2 },
  shmFiles: { negligible: 0.5, bound: 1 },
  memfds: { negligible: 0.5, bound: 1 },
  screenHeapKib: { negligible: 256, bound: 2048 },
});

/** The heap of the screen page may never have more. */
export const MAX_SCREEN_HEAP_KIB = 60e6 / 1024;

/**
 * @typedef {Record<Exclude<keyof typeof SERIES, 'screenHeapKib'>, number>} TvSample
 * @typedef {TvSample & {screenHeapKib?: number}} Sample screenHeapKib: the JavaScript heap of a screen page after a
 *   collection of garbage; at rest only
 */

/** Counts the files below a folder. @param {string} folder */
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length;

/**
 * Takes a sample. memoryKib: anonymous and shared memory (PSS) of all processes, which the kernel cannot reclaim
 * without swap. shmFiles: open files in /dev/shm, also deleted ones.
 * @param {import('../support/serve.js').ServeChild} serve
 * @returns {TvSample} memory: unreclaimable memory of all processes (app/process/memory-account.js); files in /dev/shm
 *   that a process has open, deleted ones too
 */
export function takeSample(serve) {
  const pids = serve.processes();
  const descriptors = pids.flatMap(descriptorsOf);
  return {
    memoryKib: memoryOfSync(pids).unreclaimableKib,
    descriptors: descriptors.length,
    processes: pids.length,
    dataFiles: filesIn(serve.dataDir),
    shmFiles: descriptors.filter((target) => target.startsWith('/dev/shm/')).length,
    memfds: descriptors.filter((target) => target.startsWith('/memfd:')).length,
  };
}
