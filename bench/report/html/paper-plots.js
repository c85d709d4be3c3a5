/** Prepares the plots of the paper's experiments: its figures with our measurements. */
import { EXPERIMENTS, PAPER, savings } from '../paper.js';
import { COLOURS } from '../plot.js';
import { intervalText, markOf } from '../published/declared.js';
import { games, groupBy, labelOf } from '../text.js';

/**
 * @typedef {import('../results.js').Results} Results
 * @typedef {import('../results.js').Row} Row
 * @typedef {{plot: import('../plot.js').Plot, caption: string}} Figure
 */

/** @param {Row} row */
const toneOf = ({ engine, level }) =>
  [level, engine].find((name) => name && name in COLOURS) ?? 'other';

/** @param {Row[]} rows */
const captionOf = (rows) =>
  `Samples, median and ${intervalText(rows.map(({ samples }) => samples.length))}.`;

/**
 * Prepares the plots.
 * @param {Results} results
 * @returns {Figure[]} those whose scenarios were measured
 */
export const paperPlots = (results) => [
  ...creation(results),
  ...measured(results, 'memory', 'pss', 'Figure 3, memory: PSS of all Node processes', 1 / 1024),
  ...measured(results, 'runtime', 'total', 'Figure 3, run time: until all games are done', 1),
  ...EXPERIMENTS.flatMap((experiment) => saved(results, experiment)),
];

/** @param {Results} results @param {string} scenario @param {string} metric */
const rowsOf = ({ rows }, scenario, metric) =>
  rows.filter((row) => row.scenario === scenario && row.metric === metric);

/** Prepares the times of section 4.1. @param {Results} results @returns {Figure[]} */
function creation(results) {
  const rows = rowsOf(results, 'startup', 'ready');
  if (rows.length === 0) return [];
  const marks = [
    { label: 'paper: process', tone: 'process', value: PAPER.processMs, samples: [] },
    { label: 'paper: thread', tone: 'thread', value: PAPER.threadMs, samples: [] },
    ...rows.map((row) => markOf(row, { label: labelOf(row), tone: toneOf(row) })),
  ];
  const title = 'Section 4.1: creation of a worker, until it is ready';
  return [
    {
      plot: { title, unit: 'ms', logarithmic: true, groups: [{ title: '', marks }] },
      caption: `${captionOf(rows)} The paper measured a thread until its constructor returned.`,
    },
  ];
}

/**
 * Prepares a metric by number of games.
 * @param {Results} results @param {string} scenario @param {string} metric
 * @param {string} title @param {number} scale
 * @returns {Figure[]}
 */
function measured(results, scenario, metric, title, scale) {
  const rows = rowsOf(results, scenario, metric);
  if (rows.length === 0) return [];
  const groups = [...groupBy(rows, ({ workers }) => games([Number(workers)]))].map(
    ([name, some]) => ({
      title: name,
      marks: some.map((row) =>
        markOf(row, { label: labelOf({ ...row, workers: null }), tone: toneOf(row), scale }),
      ),
    }),
  );
  const unit = scale === 1 ? rows[0].unit : 'MiB';
  return [{ plot: { title, unit, groups }, caption: captionOf(rows) }];
}

/**
 * Prepares savings against processes, beside the paper's range.
 * @param {Results} results @param {import('../paper.js').Experiment} experiment
 * @returns {Figure[]}
 */
function saved(results, experiment) {
  const all = savings(results, experiment)
    .flatMap(({ value, found }) => found.map((saving) => ({ ...saving, tone: value })))
    .toSorted((one, other) => one.workers - other.workers);
  if (all.length === 0) return [];
  const { figure, values, range } = experiment;
  const [low, high] = range;
  const groups = [...groupBy(all, ({ workers }) => games([workers]))].map(([name, some]) => ({
    title: name,
    marks: some.map(({ tone, percent, ci95 }) => ({
      label: tone,
      tone,
      value: percent,
      interval: ci95,
      samples: [percent],
    })),
  }));
  const title = `${figure}: saved against processes`;
  const notes = [`Grey: ${low} to ${high} %, the range in the paper.`];
  return [
    {
      plot: { title, unit: '% less', groups, band: { low, high }, notes },
      caption: `Ratios of medians with their intervals. The paper’s text states a range and no single values (${PAPER.machine}; ${values[0]}).`,
    },
  ];
}
