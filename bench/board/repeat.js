/** Compares two runs of the benchmarks, number by number. */

/**
 * @typedef {import('../report/results.js').Results} Results
 *
 * @typedef {object} Repeat
 * @property {number} numbers number of samples that both runs have
 * @property {number} same number of identical samples
 * @property {string[]} missing samples of only one run
 * @property {{what: string, one: number, other: number, percent: number}[]} different largest difference first
 */

/** Lists the samples by a description. @param {Results} results @returns {Map<string, number>} */
function samplesOf({ rows }) {
  return new Map(
    rows.flatMap(({ scenario, metric, variant, engine, level, workers, n, samples, rounds }) =>
      samples.map((sample, i) => {
        const which = [scenario, metric, variant, engine, level, workers, n, `round ${rounds[i]}`];
        return /** @type {[string, number]} */ ([
          which.filter((part) => part !== null && part !== undefined).join(', '),
          sample,
        ]);
      }),
    ),
  );
}

/**
 * Compares two runs.
 * @param {Results} one @param {Results} other
 * @returns {Repeat}
 */
export function compareRuns(one, other) {
  const [mine, theirs] = [samplesOf(one), samplesOf(other)];
  const common = [...mine.keys()].filter((what) => theirs.has(what));
  const pairs = common.map((what) => {
    const [a, b] = [Number(mine.get(what)), Number(theirs.get(what))];
    return { what, one: a, other: b, percent: a === b ? 0 : Math.abs(b / a - 1) * 100 };
  });
  const different = pairs.filter((pair) => pair.one !== pair.other);
  return {
    numbers: pairs.length,
    same: pairs.length - different.length,
    missing: [...mine.keys(), ...theirs.keys()].filter(
      (what) => !mine.has(what) || !theirs.has(what),
    ),
    different: different.sort((a, b) => b.percent - a.percent),
  };
}

/** Formats a comparison. @param {Repeat} repeat @returns {string} */
export function formatRepeat({ numbers, same, missing, different }) {
  const lines = [`${same} of ${numbers} figures are identical.`];
  for (const { what, one, other, percent } of different.slice(0, 5)) {
    lines.push(`  ${what}: ${one} and ${other} (${percent.toFixed(3)} %)`);
  }
  if (missing.length > 0) lines.push(`  In one run only: ${missing.slice(0, 5).join('; ')}`);
  return lines.join('\n');
}
