/** What one game more adds to the TV's memory: the slope from the fewest games to the most. */
import { labelOf } from '../report/results.js';
import { median } from './stats.js';

/** @typedef {import('../harness/scenarios.js').Sample} Sample */

/**
 * @param {string} name of the scenario, whose configurations have `workers`
 * @param {Sample[]} samples
 * @param {(sample: Sample) => number} pssOf KiB, of all games together
 * @returns {string[]} a note for each engine and level that ran with more than one number of games
 */
export function notesOnMarginalMemory(name, samples, pssOf) {
  const labels = new Set(samples.map(labelWithoutWorkers));
  return [...labels].flatMap((label) => {
    const mine = samples.filter((sample) => labelWithoutWorkers(sample) === label);
    const at = (/** @type {number} */ workers) =>
      mine.filter(({ configuration }) => configuration.workers === workers).map(pssOf);
    const counts = mine.map(({ configuration }) => Number(configuration.workers));
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    if (least === most) return [];
    const each = (median(at(most)) - median(at(least))) / (most - least) / 1024;
    return `${name}, ${label}: each further game adds ${each.toFixed(2)} MiB of PSS (${least} to ${most} games).`;
  });
}

/** @param {Sample} sample */
const labelWithoutWorkers = ({ configuration }) => labelOf({ ...configuration, workers: null });
