/** Samples everything that a TV could leak. */
import { readdirSync } from 'node:fs';
import { memoryOfSync } from '../../app/process/memory-account.js';
import { countDescriptors } from '../support/serve.js';

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
 * Takes a sample of all processes of a TV.
 * @param {import('../support/serve.js').ServeChild} serve
 * @returns {TvSample} memoryKib: unreclaimable memory (app/process/memory-account.js)
 */
export function takeSample(serve) {
  const pids = serve.processes();
  return {
    memoryKib: memoryOfSync(pids).unreclaimableKib,
    ...countDescriptors(pids),
    processes: pids.length,
    dataFiles: filesIn(serve.dataDir),
  };
}
