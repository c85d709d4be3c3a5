/** Compares two runs of the benchmarks, number by number. */

/**
 * @typedef {import('../report/results.js').Results} Results
 *
 * @typedef {object} Repeat
 * @property {number} numbers number of samples that both runs have
 * @property {string[]} missing samples of only one run
 * @property {string[]} different samples with both numbers
 */

/** Lists the samples by a description. @param {Results} results @returns {Map<string, number>} */
function samplesOf({ rows }) {
  const samples = new Map();
  for (const row of rows) {
    const { scenario, metric, variant, engine, level, workers, n } = row;
    const about = [scenario, metric, variant, engine, level, workers, n];
    const which = about.filter((part) => part !== null && part !== undefined).join(', ');
    for (const [i, sample] of row.samples.entries())
      samples.set(`${which}, round ${row.rounds[i]}`, sample);
  }
  return samples;
}

/**
 * Compares two runs.
 * @param {Results} one @param {Results} other
 * @returns {Repeat}
 */
export function compareRuns(one, other) {
  const [mine, theirs] = [samplesOf(one), samplesOf(other)];
  const common = [...mine].filter(([what]) => theirs.has(what));
  const all = [...mine.keys(), ...theirs.keys()];
  return {
    numbers: common.length,
    missing: all.filter((what) => !mine.has(what) || !theirs.has(what)),
    different: common
      .filter(([what, sample]) => sample !== theirs.get(what))
      .map(([what, sample]) => `${what}: ${sample} and ${theirs.get(what)}`),
  };
}

/** Formats a comparison. @param {Repeat} repeat @returns {string} */
export const formatRepeat = ({ numbers, missing, different }) =>
  [
    `${numbers - different.length} of ${numbers} figures are identical.`,
    ...different.slice(0, 5).map((each) => `  ${each}`),
    ...missing.slice(0, 5).map((each) => `  In one run only: ${each}`),
  ].join('\n');
