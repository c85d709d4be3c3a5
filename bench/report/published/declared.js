/**
 * Makes the tables and plots that a scenario declares in its `published.js`, from stored results. This describes what
 * such a file exports: `tables` and `plots`, objects by name.
 */
import { MIN_INTERVAL_SAMPLES } from '../../stats/stats.js';
import { markdownTable } from '../markdown.js';
import { figure, hasValues, machineLine, sourceLine } from '../text.js';

/**
 * @typedef {import('../results.js').Results} Results
 * @typedef {import('../results.js').Row} Row
 * @typedef {import('../plot.js').Plot} Plot
 * @typedef {Map<string, Results>} Stored results by their name in bench/results
 *
 * @typedef {object} Which says which row a cell or a mark shows; a column's fields replace a line's
 * @property {string} [source] name of stored results @property {string} [metric]
 * @property {Partial<Row>} [where] values that the row has
 * @property {Record<string, Partial<Row>>} [whereIn] more of them, by the name of the stored results
 * @property {Partial<Row>} [less] values of another row, whose median is subtracted
 * @property {number} [scale] factor, default 1
 *
 * @typedef {Which & {title: string}} Titled
 *
 * @typedef {object} Table
 * @property {Which} [all] of all cells
 * @property {Titled[]} lines at most MAX_LINES @property {Titled[]} columns
 * @property {boolean} [isBrief] whether only the names of the stored results are written below
 *
 * @typedef {Titled & {tone: string}} DeclaredMark
 *
 * @typedef {object} DeclaredPlot
 * @property {string} title @property {string} unit
 * @property {boolean} [logarithmic]
 * @property {Which} [all] of all marks
 * @property {(Titled & {marks?: DeclaredMark[]})[]} groups
 * @property {DeclaredMark[]} [marks] of each group without its own
 */

/** A table with more lines is not looked at. */
const MAX_LINES = 12;
const NONE = '–';

/**
 * Finds the row with some values.
 * @param {Row[]} rows @param {Partial<Row>} where
 * @returns {Row | undefined}
 * @throws {Error} if there are several
 */
function rowOf(rows, where) {
  const found = rows.filter((row) => hasValues(row, where));
  if (found.length > 1) throw new Error(`${found.length} rows fit ${JSON.stringify(where)}`);
  return found[0];
}

/**
 * Finds a row of stored results.
 * @param {Stored} stored @param {(Which | undefined)[]} parts later ones replace fields of earlier ones
 * @returns {{name: string, row: Row | undefined, offset: number, scale: number}} offset: is subtracted before scaling
 */
function find(stored, parts) {
  /** @type {Which} */
  const which = Object.assign({}, ...parts);
  const { source = '', metric, scale = 1 } = which;
  const where = Object.assign(
    {},
    ...parts.map((part) => part?.where),
    ...parts.map((part) => part?.whereIn?.[source]),
  );
  const results = stored.get(source);
  if (!results) throw new Error(`bench/results has no ${source}`);
  const row = rowOf(results.rows, { ...where, metric });
  if (!which.less || !row) return { name: source, row, offset: 0, scale };
  const other = rowOf(results.rows, { ...where, ...which.less, metric });
  if (!other) throw new Error(`${source} has no ${metric} of ${JSON.stringify(which.less)}`);
  return { name: source, row, offset: other.median, scale };
}

/** Lists the results that were used. @param {Stored} stored @param {Set<string>} names @param {boolean} isBrief */
function sourcesOf(stored, names, isBrief) {
  const files = [...names].sort().map((name) => ({ name, results: stored.get(name) }));
  if (isBrief) return `Samples: ${files.map(({ name }) => `\`${name}\``).join(', ')}.`;
  return files
    .map(({ name, results }) => `\`${name}\`: ${results ? sourceLine(results) : ''}`)
    .join('\n\n');
}

/**
 * Writes a table of medians and how they were measured.
 * @param {Table} table @param {Stored} stored
 * @returns {string} Markdown
 * @throws {Error} if a cell has several rows, or a line or a column has none
 */
export function renderTable({ all, lines, columns, isBrief = false }, stored) {
  if (lines.length > MAX_LINES) throw new Error(`more than ${MAX_LINES} lines`);
  const names = new Set();
  const cells = lines.map((line) =>
    columns.map((column) => {
      const { name, row, offset, scale } = find(stored, [all, line, column]);
      if (!row) return NONE;
      names.add(name);
      return figure((row.median - offset) * scale);
    }),
  );
  const empty = [
    ...columns.filter((_, i) => cells.every((line) => line[i] === NONE)),
    ...lines.filter((_, i) => cells[i].every((cell) => cell === NONE)),
  ];
  if (empty.length > 0) throw new Error(`"${empty[0].title}" is empty`);
  const text = markdownTable(
    ['', ...columns.map(({ title }) => title)],
    lines.map(({ title }, i) => [title, ...cells[i]]),
  );
  return `${text}\n\n${sourcesOf(stored, names, isBrief)}`;
}

/**
 * Prepares a plot: all samples of its rows, medians and intervals, and how they were measured.
 * @param {DeclaredPlot} declared @param {Stored} stored
 * @returns {Plot}
 * @throws {Error} if a mark has several rows, or a group has none
 */
export function plotOf({ title, unit, logarithmic, all, groups, marks }, stored) {
  const names = new Set();
  /** @type {number[]} */
  const counts = [];
  const drawn = groups.map((group) => {
    const found = (group.marks ?? marks ?? []).flatMap((mark) => {
      const { name, row, scale } = find(stored, [all, group, mark]);
      if (!row) return [];
      names.add(name);
      const scaled = (/** @type {number} */ value) => value * scale;
      const [low, high] = row.ci95.map(scaled);
      return {
        label: mark.title,
        tone: mark.tone,
        value: scaled(row.median),
        interval: /** @type {[number, number]} */ ([low, high]),
        samples: row.samples.map(scaled),
      };
    });
    if (found.length === 0) throw new Error(`the group "${group.title}" is empty`);
    const n = found.map(({ samples }) => samples.length);
    counts.push(...n);
    return { title: `${group.title} (n = ${spanOf(n)})`, marks: found };
  });
  return {
    title,
    unit,
    logarithmic,
    groups: drawn,
    notes: [
      `Dots: samples. Tick: median. Line: ${intervalText(counts)}.`,
      ...[...names].flatMap((name) => conditionsOf(stored.get(name))),
    ],
  };
}

/** @param {number[]} counts */
const spanOf = (counts) => [...new Set([Math.min(...counts), Math.max(...counts)])].join(' to ');

/** Describes the intervals of a plot. @param {number[]} counts numbers of samples @returns {string} */
function intervalText(counts) {
  const bootstrap = 'its 95 % interval';
  const range = 'lowest to highest';
  if (Math.min(...counts) >= MIN_INTERVAL_SAMPLES) return bootstrap;
  if (Math.max(...counts) < MIN_INTERVAL_SAMPLES) return range;
  return `${bootstrap}, or ${range} of fewer than ${MIN_INTERVAL_SAMPLES} samples`;
}

/** Describes in short how results were measured. @param {Results | undefined} results @returns {string[]} */
function conditionsOf(results) {
  if (!results) return [];
  const { machine, startedAt, provenance } = results;
  const { command = '', commit = 'unknown' } = provenance ?? {};
  const measured = `${machineLine(machine)}, ${startedAt.slice(0, 10)}, commit ${commit.slice(0, 7)}`;
  return [`${command}: ${measured}.`];
}
