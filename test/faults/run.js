/**
 * Injects faults one by one into a `pitv serve` with several matches. report.js compares the results with the bounds.
 */
import { Run } from './injector.js';
import { KINDS, plan } from './kinds.js';

/** Faults in a block, see plan(). */
const BLOCK = 250;

/**
 * @typedef {object} FaultResult
 * @property {number} number from 1
 * @property {string} kind
 * @property {number} backMs Infinity: not at all
 * @property {number} stalledMs part of backMs in which the machine stalled or the TV's processes waited for a core
 * @property {number} gapTicks most ticks in a row that another match missed
 * @property {number} gapStalledTicks part of gapTicks in which the machine stalled
 * @property {number | undefined} goneMs if the main process was killed: time until all of its processes had ended
 * @property {number} leaked descriptors, processes and shared memory more than before
 * @property {number} memoryKib of the main process, anonymous and shared memory
 * @property {number} start number of the main process, from 0
 * @property {string[]} wrong what else went wrong
 *
 * @typedef {object} RunResult
 * @property {FaultResult[]} faults
 * @property {Record<string, string>} skipped reason by kind
 * @property {Map<string, number>} refused errors that clients received
 * @property {number} orphans processes left after the end
 */

/**
 * Runs a TV, injects faults, and stops the TV.
 * @param {object} options
 * @param {number} options.count @param {number} options.seed
 * @param {string} options.engine thread, process or zygote
 * @param {string} [options.only] a part of the names of the kinds
 * @param {AbortSignal} [options.signal] ends the run after the current fault
 * @param {(result: FaultResult) => void} [options.onFault]
 * @returns {Promise<RunResult>}
 */
export async function runFaults({ count, seed, engine, only = '', signal, onFault }) {
  const run = new Run({ seed, engine });
  /** @type {Record<string, string>} */
  const skipped = {};
  const kinds = KINDS.filter(({ name, engines, needs = [] }) => {
    if (!name.includes(only) || (engines && !engines.includes(engine))) return false;
    const missing = needs.find((need) => run.means.missing[need]);
    if (missing) skipped[name] = run.means.missing[missing];
    return !missing;
  });
  /** @type {FaultResult[]} */
  const faults = [];
  let orphans;
  try {
    await run.open();
    for (const [i, kind] of plan(kinds, count, run.random, BLOCK).entries()) {
      if (signal?.aborted) break;
      const result = await run.fault(kind, i + 1);
      faults.push(result);
      onFault?.(result);
    }
  } finally {
    orphans = await run.close();
  }
  const refused = new Map();
  for (const lane of run.lanes) {
    for (const [code, times] of lane.refused) refused.set(code, (refused.get(code) ?? 0) + times);
  }
  return { faults, skipped, refused, orphans };
}
