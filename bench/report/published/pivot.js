/** Makes Markdown tables of results. */
import { messageOf } from '../../../app/errors.js';
import { mergeRuns } from '../../harness/merge-runs.js';
import { digits, isEmulated, labelOf, versionName } from '../text.js';

/**
 * @typedef {import('../results.js').Results} Results
 * @typedef {import('../results.js').Row} Row
 * @typedef {Partial<import('../../harness/scenarios.js').Configuration>} Where values that a row must have
 *
 * @typedef {object} Line a row of the table
 * @property {string} title @property {Where} where
 *
 * @typedef {object} Column
 * @property {string} title @property {string} metric
 * @property {Where} [where]
 * @property {number} [scale] factor, default 1
 */

const NONE = '–';
const NOTHING = { variant: '', engine: null, level: null, workers: null, n: null };
/** Numbers from this one on have a comma and no decimals. */
const GROUPED = 1000;
/** More than any version of Node.js. */
const EMULATED_LAST = 1000;

/**
 * Makes a table of medians. Runs with several versions of Node.js have a column for it.
 * @param {Results[]} files runs, or parts of runs
 * @param {object} table
 * @param {string} table.scenario
 * @param {string[]} [table.heads] titles of the first columns; a line's title has as many parts, separated by " | "
 * @param {Line[]} table.lines
 * @param {Column[]} table.columns
 * @returns {string}
 * @throws {Error} if a cell has several rows, or a column has none
 */
export function pivot(files, { scenario, heads = [''], lines, columns }) {
  const body = runsOf(files).flatMap(({ name, results, isOnly }) => {
    const rows = results.rows.filter((row) => row.scenario === scenario);
    return lines.flatMap((line) => {
      const cells = columns.map((column) => cellOf(rows, line, column));
      const titles = isOnly ? [line.title] : [name, line.title];
      return cells.every((cell) => cell === NONE) ? [] : [{ titles, cells }];
    });
  });
  const empty = columns.find((_, i) => body.every(({ cells }) => cells[i] === NONE));
  if (empty) throw new Error(`The column "${empty.title}" of ${scenario} is empty.`);
  const first = runsOf(files).length > 1 ? ['Node.js', ...heads] : heads;
  return markdownTable(
    [...first, ...columns.map(({ title }) => title)],
    body.map(({ titles, cells }) => [...titles, ...cells]),
  );
}

/**
 * Joins the parts of runs, and names the runs by their version of Node.js, and by the processor if it is emulated.
 * @param {Results[]} files
 * @returns {{name: string, results: Results, isOnly: boolean}[]} sorted by version, emulated processors last
 * @throws {Error} if two runs have the same version
 */
export function runsOf(files) {
  const runs = mergeRuns(files).map((results) => ({ name: versionName(results.machine), results }));
  if (new Set(runs.map(({ name }) => name)).size < runs.length) {
    throw new Error('Two runs have the same version of Node.js, but another machine or method.');
  }
  return runs
    .toSorted((one, other) => order(one.results) - order(other.results))
    .map((run) => ({ ...run, isOnly: runs.length === 1 }));
}

/**
 * Sorts by version; emulated processors, which are slower by far, are last.
 * @param {Results} results @returns {number}
 */
const order = ({ machine: { node, virtual } }) =>
  Number.parseFloat(node.replace(/^v/, '')) + (isEmulated(virtual) ? EMULATED_LAST : 0);

/** Writes a Markdown table. @param {string[]} head @param {string[][]} lines @returns {string} */
export const markdownTable = (head, lines) =>
  [
    `| ${head.join(' | ')} |`,
    `|${' --- |'.repeat(head.length)}`,
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');

/** @param {Row[]} rows @param {Line} line @param {Column} column */
function cellOf(rows, line, { title, metric, where, scale = 1 }) {
  try {
    const row = rowOf(rows, { ...line.where, ...where, metric });
    return row ? figure(row.median * scale) : NONE;
  } catch (error) {
    throw new Error(`"${line.title}", "${title}": ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Finds the row with some values.
 * @param {Row[]} rows @param {Partial<Row>} where
 * @returns {Row | undefined}
 * @throws {Error} if there are several
 */
export function rowOf(rows, where) {
  const wanted = Object.entries(where);
  const found = rows.filter((row) =>
    wanted.every(([field, value]) => Reflect.get(row, field) === value),
  );
  if (found.length > 1) throw new Error(`${found.length} rows fit.`);
  return found[0];
}

/** Formats a figure. @param {number} value */
export const figure = (value) =>
  Math.abs(value) >= GROUPED ? Math.round(value).toLocaleString('en') : digits(value);

/**
 * Makes a line for each configuration, in the order of the rows.
 * @param {Results[]} files @param {string} scenario
 * @param {(keyof Where)[]} fields that distinguish the lines
 * @param {Where} [where] values that the rows must have
 * @returns {Line[]}
 */
export function linesOf(files, scenario, fields, where = {}) {
  const lines = new Map();
  for (const row of allRows(files)) {
    const fits = Object.entries(where).every(([field, value]) => Reflect.get(row, field) === value);
    if (row.scenario !== scenario || !fits) continue;
    const mine = Object.fromEntries(fields.map((field) => [field, row[field]]));
    const title = labelOf({ ...NOTHING, ...mine });
    lines.set(title, { title, where: { ...mine, ...where } });
  }
  return [...lines.values()];
}

/**
 * Lists the values of a field, in the order of the rows.
 * @template {keyof Row} F
 * @param {Results[]} files @param {string} scenario @param {F} field
 * @returns {Row[F][]}
 */
export const valuesOf = (files, scenario, field) => [
  ...new Set(
    allRows(files)
      .filter((row) => row.scenario === scenario)
      .map((row) => row[field]),
  ),
];

/** @param {Results[]} files */
const allRows = (files) => runsOf(files).flatMap(({ results }) => results.rows);
