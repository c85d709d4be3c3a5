/** Runs that were taken one after the other on the same machine, as one: a board may be slow. */

/** @typedef {import('../report/results.js').Results} Results */

/** @param {import('../report/results.js').Row} row @returns {string} what it is of */
const keyOf = ({ scenario, metric, variant, engine, level, workers, n }) =>
  JSON.stringify([scenario, metric, variant, engine, level, workers, n]);

/** @param {Results} results @returns {string} where and how it was measured */
function circumstances({ pitv, schema, method, machine }) {
  const { runs, warmUps, quick } = method;
  const { board, cpu, cores, memoryKib, kernel, node, virtual } = machine;
  const where = [board, cpu, cores, memoryKib, kernel, node, virtual];
  return JSON.stringify([pitv, schema, runs, warmUps, quick, ...where]);
}

/**
 * @param {Results[]} files
 * @returns {Results[]} those of the same machine and method that have no figure in common joined, at
 *   the place of the first; all others as they are
 */
export function mergeRuns(files) {
  /** @type {Results[]} */
  const joined = [];
  for (const file of files) {
    const mine = new Set(file.rows.map(keyOf));
    const at = joined.findIndex(
      (other) =>
        circumstances(other) === circumstances(file) &&
        !other.rows.some((row) => mine.has(keyOf(row))),
    );
    if (at < 0) joined.push(file);
    else joined[at] = join(joined[at], file);
  }
  return joined;
}

/** @param {Results} one @param {Results} other @returns {Results} */
function join(one, other) {
  const scenarios = [...one.scenarios];
  for (const scenario of other.scenarios) {
    if (!scenarios.some(({ name }) => name === scenario.name)) scenarios.push(scenario);
  }
  return {
    ...one,
    suite: scenarios.map(({ name }) => name).join(' '),
    complete: one.complete && other.complete,
    scenarios,
    rows: [...one.rows, ...other.rows],
    comparisons: [...one.comparisons, ...other.comparisons],
    failures: [...one.failures, ...other.failures],
    notes: [...new Set([...one.notes, ...other.notes])],
    warnings: [...one.warnings, ...other.warnings],
  };
}
