/** Computes how much memory each further game adds to the TV: the slope from the fewest games to the most. */
import { labelOf } from '../report/text.js';
import { median } from './stats.js';

/** @typedef {import('../harness/scenarios.js').Sample} Sample */

/**
 * Makes a note for each engine and level with several numbers of games.
 * @param {string} name of the scenario, whose configurations have `workers`
 * @param {Sample[]} samples
 * @param {(sample: Sample) => number} kibOf memory of all games together, KiB
 * @param {string} kind of memory
 * @returns {string[]}
 */
export function notesOnMarginalMemory(name, samples, kibOf, kind) {
  const labels = new Set(samples.map(labelWithoutWorkers));
  return [...labels].flatMap((label) => {
    const mine = samples.filter((sample) => labelWithoutWorkers(sample) === label);
    const at = (/** @type {number} */ workers) =>
      mine.filter(({ configuration }) => configuration.workers === workers).map(kibOf);
    const counts = mine.map(({ configuration }) => Number(configuration.workers));
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    if (least === most) return [];
    const each = (median(at(most)) - median(at(least))) / (most - least) / 1024;
    return `${name}, ${label}: each further game adds ${each.toFixed(2)} MiB of ${kind} (${least} to ${most} games).`;
  });
}

/** @param {Sample} sample */
const labelWithoutWorkers = ({ configuration }) => labelOf({ ...configuration, workers: null });
