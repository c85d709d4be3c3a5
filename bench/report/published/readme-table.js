/** Makes the table of results in README.md and README.ko.md. */
import { digits } from '../text.js';
import { markdownTable, rowOf } from './pivot.js';

/**
 * @typedef {import('../results.js').Results} Results
 * @typedef {import('../results.js').Row} Row
 * @typedef {import('./pivot.js').Where} Where
 *
 * @typedef {object} Words the texts of the table. In `result`, `{NAME}` stands for a figure of figuresOf()
 * @property {string[]} head
 * @property {{question: string, result: string, care: string}[]} lines
 */

/** The results that the table needs. */
export const SOURCES = ['startup', 'memory', 'collision'];

const KIB_PER_MIB = 1024;
const GAMES = 4;
const LIBRARIES = ['kdbush', 'flatbush', 'rbush', 'rapier-simd', 'check2d', 'matter-js'];
const ENGINES = ['process', 'thread', 'zygote'];
const STARTS = { demand: 'on demand', spare: 'spare', burst: '8 at once' };

/**
 * Computes the figures: medians, and how much each further game adds on average from 1 to 4 games.
 * @param {Results[]} files
 * @returns {Record<string, string>}
 * @throws {Error} if a row is missing, or the results are not of one machine
 */
export function figuresOf(files) {
  // The length of a run may differ from scenario to scenario: no figure comes from two of them.
  const machines = new Set(files.map(({ machine }) => JSON.stringify([machine.cpu, machine.node])));
  if (machines.size > 1) throw new Error('The results are of several machines or versions.');
  const rows = files.flatMap((results) => results.rows);
  /** @param {string} scenario @param {string} metric @param {Where} where */
  const medianOf = (scenario, metric, where) => {
    const row = rowOf(rows, { ...where, scenario, metric });
    if (!row) throw new Error(`${scenario} has no ${metric} of ${JSON.stringify(where)}`);
    return row.median;
  };
  /** @param {string} engine @param {number} workers */
  const memoryOf = (engine, workers) =>
    medianOf('memory', 'unreclaimable', { variant: engine, engine, workers });
  /** @param {string} level */
  const savedBy = (level) =>
    medianOf('memory', 'saved_merging', { engine: 'process', level, workers: GAMES });
  /** @param {string} variant */
  const frameOf = (variant) =>
    medianOf('collision', 'frame', { variant, level: 'uniform', n: 5000 });
  const [[library, libraryMs]] = LIBRARIES.map((name) => [name, frameOf(name)]).toSorted(
    (one, other) => Number(one[1]) - Number(other[1]),
  );
  const starts = Object.entries(STARTS).flatMap(([name, variant]) =>
    ENGINES.map((engine) => [
      `${name} ${engine}`,
      medianOf('startup', 'ready', { variant, engine }),
    ]),
  );
  const added = ENGINES.map((engine) => [
    `game ${engine}`,
    (memoryOf(engine, GAMES) - memoryOf(engine, 1)) / (GAMES - 1) / KIB_PER_MIB,
  ]);
  const saved = ['mark', 'seeds', 'identical'].map((level) => [`ksm ${level}`, savedBy(level)]);
  const figures = [
    ...starts,
    ...added,
    ...saved,
    ['libraryMs', libraryMs],
    ...['pitv', 'c-native'].map((name) => [name, frameOf(name)]),
  ];
  return {
    library: String(library),
    ...Object.fromEntries(figures.map(([name, value]) => [name, digits(Number(value))])),
  };
}

/**
 * Writes the table.
 * @param {Results[]} files @param {Words} words @returns {string}
 * @throws {Error} if a row is missing, or a text names an unknown figure
 */
export function readmeTable(files, { head, lines }) {
  const figures = figuresOf(files);
  const fill = (/** @type {string} */ text) =>
    text.replace(/\{([^}]+)\}/g, (_, name) => {
      if (!(name in figures)) throw new Error(`there is no figure ${name}`);
      return figures[name];
    });
  return markdownTable(
    head,
    lines.map(({ question, result, care }) => [question, fill(result), fill(care)]),
  );
}
