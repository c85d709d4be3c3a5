/** How near two runs of the harness come to each other, number by number. */

/**
 * @typedef {import('../../bench/report/results.js').Results} Results
 *
 * @typedef {object} Repeat
 * @property {number} numbers samples that both have
 * @property {number} same of them, to the last digit
 * @property {string[]} missing what only one of the two has
 * @property {{what: string, one: number, other: number, percent: number}[]} different the farthest first
 */

/** @param {Results} results @returns {Map<string, number>} every sample by what it is of */
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

/** @param {Repeat} repeat @returns {string} for people */
export function tellRepeat({ numbers, same, missing, different }) {
  const lines = [`${same} of ${numbers} figures are the same to the last digit.`];
  for (const { what, one, other, percent } of different.slice(0, 5)) {
    lines.push(`  ${what}: ${one} and ${other} (${percent.toFixed(3)} %)`);
  }
  if (missing.length > 0) lines.push(`  In one run only: ${missing.slice(0, 5).join('; ')}`);
  return lines.join('\n');
}
