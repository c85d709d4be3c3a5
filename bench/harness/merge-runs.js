/** Joins results of separate runs on the same machine. On a slow board, scenarios are measured one after the other. */
import { rejudge } from '../report/comparisons.js';

/** @typedef {import('../report/results.js').Results} Results */

/** Returns a key of what a row measures. @param {import('../report/results.js').Row} row */
const keyOf = ({ scenario, metric, variant, engine, level, workers, n }) =>
  JSON.stringify([scenario, metric, variant, engine, level, workers, n]);

/** Returns a key of the machine and the method. @param {Results} results @returns {string} */
function circumstances({ pitv, schema, method, machine }) {
  const { runs, warmUps, quick } = method;
  const { board, cpu, cores, memoryKib, kernel, node, virtual } = machine;
  const where = [board, cpu, cores, memoryKib, kernel, node, virtual];
  return JSON.stringify([pitv, schema, runs, warmUps, quick, ...where]);
}

/**
 * Joins files with the same machine, the same method and different rows. Other files are returned unchanged.
 * @param {Results[]} files
 * @returns {Results[]} joined files are at the position of their first part
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
  return rejudge({
    ...one,
    ...commandsOf(one, other),
    suite: scenarios.map(({ name }) => name).join(' '),
    complete: one.complete && other.complete,
    scenarios,
    rows: [...one.rows, ...other.rows],
    comparisons: [...one.comparisons, ...other.comparisons],
    failures: [...one.failures, ...other.failures],
    skipped: [...one.skipped, ...other.skipped],
    notes: [...new Set([...one.notes, ...other.notes])],
    warnings: [...one.warnings, ...other.warnings],
  });
}

/**
 * Joins the commands of published results.
 * @param {Results} one @param {Results} other @returns {Pick<Results, 'provenance'>}
 */
function commandsOf({ provenance: mine }, { provenance: theirs }) {
  if (!mine || !theirs) return {};
  const commands = [...new Set([mine.command, theirs.command])];
  const commits = [...new Set([mine.commit, theirs.commit])];
  return { provenance: { command: commands.join('; '), commit: commits.join(', ') } };
}
