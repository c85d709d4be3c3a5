/** Prepares the plots: the paper's figures with our measurements, and a plot for each scenario with several sizes. */
import { PAPER, savings } from '../paper.js';
import { ksmSavings } from '../paper-table.js';
import { MIN_INTERVAL_SAMPLES } from '../../stats/stats.js';
import { groupBy, labelOf } from '../text.js';

/**
 * @typedef {import('../results.js').Results} Results
 * @typedef {import('../results.js').Row} Row
 *
 * @typedef {object} Series
 * @property {string} label
 * @property {string} tone a colour of the style sheet: process, thread, zygote, ideal, 0, 1, ...
 * @property {(number | null)[]} values @property {(number | null)[]} low @property {(number | null)[]} high
 *
 * @typedef {object} Figure a plot by number of games, or by size of the problem
 * @property {string} title @property {string} caption
 * @property {string} xLabel @property {string} yLabel
 * @property {number[]} x
 * @property {Series[]} series
 * @property {{label: string, low: number, high: number}} [band] the paper's range
 * @property {boolean} [logarithmic] whether both axes are logarithmic
 */

/** More lines in one plot cannot be distinguished. */
const MAX_SERIES = 9;
const ENGINES = ['process', 'thread', 'zygote'];
/** Levels of KSM, in the order of their colours. */
const LEVELS = ['mark', 'seeds', 'identical'];
const BAND_CAPTION =
  'the grey band is the range in the paper’s text, which states no single values';

/**
 * Makes a line for each configuration.
 * @param {Row[]} rows of one metric @param {'workers' | 'n'} axis @param {number} [scale]
 * @returns {{x: number[], series: Series[]}}
 */
function linesOf(rows, axis, scale = 1) {
  const x = [...new Set(rows.map((row) => Number(row[axis])))].sort((a, b) => a - b);
  const lines = groupBy(rows, (row) => labelOf({ ...row, [axis]: null }));
  const series = [...lines].map(([label, group], i) => {
    const at = x.map((value) => group.find((row) => row[axis] === value));
    const known = [...ENGINES, 'ideal'].includes(label);
    const level = LEVELS.indexOf(String(group[0].level));
    return {
      label,
      tone: known ? label : String(level < 0 ? i % MAX_SERIES : level),
      values: at.map((row) => (row ? row.median * scale : null)),
      low: at.map((row) => (row ? row.ci95[0] * scale : null)),
      high: at.map((row) => (row ? row.ci95[1] * scale : null)),
    };
  });
  return { x, series };
}

/** Makes lines of savings. @param {{label: string, tone: string, found: import('../paper.js').Saving[]}[]} lines */
function linesOfSavings(lines) {
  const x = [...new Set(lines.flatMap(({ found }) => found.map((one) => one.workers)))];
  x.sort((a, b) => a - b);
  const series = lines
    .filter(({ found }) => found.length > 0)
    .map(({ label, tone, found }) => {
      const at = x.map((workers) => found.find((one) => one.workers === workers));
      return {
        label,
        tone,
        values: at.map((one) => one?.percent ?? null),
        low: at.map((one) => one?.ci95[0] ?? null),
        high: at.map((one) => one?.ci95[1] ?? null),
      };
    });
  return { x, series };
}

/** Describes the points and their intervals. @param {Row[]} rows */
function captionOf(rows) {
  const most = Math.max(...rows.map(({ samples }) => samples.length));
  if (most === 1) return 'One sample of each.';
  return most < MIN_INTERVAL_SAMPLES
    ? 'Median, lowest and highest value.'
    : 'Median, with its 95 % interval.';
}

/** @param {readonly number[]} range */
const bandOf = ([low, high]) => ({ label: `paper, ${low}–${high} %`, low, high });

/**
 * Prepares the paper's figures 3 (memory and run time of threads and processes) and 4 (savings of KSM).
 * @param {Results} results
 * @returns {Figure[]}
 */
export function paperFigures(results) {
  const rowsOf = (/** @type {string} */ scenario, /** @type {string} */ metric) =>
    results.rows.filter((row) => row.scenario === scenario && row.metric === metric);
  /** @type {Figure[]} */
  const figures = [];
  const games = { xLabel: 'games' };

  /**
   * @param {string} scenario @param {string} metric @param {readonly number[]} range
   * @param {{title: string, yLabel: string, scale: number, saving: string}} texts
   */
  const figure3 = (scenario, metric, range, { title, yLabel, scale, saving }) => {
    const rows = rowsOf(scenario, metric);
    if (rows.length === 0) return;
    figures.push({
      title,
      caption: captionOf(rows),
      yLabel,
      ...games,
      ...linesOf(rows, 'workers', scale),
    });
    const lines = ['thread', 'zygote'].map((engine) => ({
      label: engine,
      tone: engine,
      found: savings(results, scenario, metric, (row) => row.variant === engine, labelOf),
    }));
    const caption = `Savings against processes, percent: ${BAND_CAPTION} (${PAPER.machine}; threads).`;
    figures.push({
      title: saving,
      caption,
      yLabel: '% less',
      ...games,
      ...linesOfSavings(lines),
      band: bandOf(range),
    });
  };

  figure3('memory', 'pss', PAPER.threadMemorySaving, {
    title: 'Figure 3, memory: PSS of all Node processes',
    yLabel: 'MiB',
    scale: 1 / 1024,
    saving: 'Figure 3, memory: saved against processes',
  });
  figure3('runtime', 'total', PAPER.threadTimeSaving, {
    title: 'Figure 3, run time: until all games have done their pass',
    yLabel: 'ms',
    scale: 1,
    saving: 'Figure 3, run time: saved against processes',
  });

  const lines = LEVELS.map((level, i) => ({
    label: level,
    tone: String(i),
    found: ksmSavings(results, level),
  }));
  if (lines.some(({ found }) => found.length > 0)) {
    const caption = `Total PSS of processes with KSM against without, by level: ${BAND_CAPTION} (level mark).`;
    figures.push({
      title: 'Figure 4: savings of KSM',
      caption,
      yLabel: '% less',
      ...games,
      ...linesOfSavings(lines),
      band: bandOf(PAPER.ksmSaving),
    });
  }
  return figures.filter(({ x, series }) => x.length > 0 && series.length > 0);
}

/**
 * Prepares the plot of a metric by number of workers or by n.
 * @param {Row[]} rows of one scenario and metric
 * @returns {Figure | undefined} undefined if there is nothing to plot
 */
export function metricFigure(rows) {
  const axis = rows.some((row) => row.n !== null) ? 'n' : 'workers';
  const having = rows.filter((row) => row[axis] !== null);
  const { x, series } = linesOf(having, axis);
  const flat = having.every((row) => row.median === 0);
  if (x.length < 2 || series.length > MAX_SERIES || flat) return undefined;
  const logarithmic = axis === 'n' && x[0] > 0 && having.every((row) => row.ci95[0] > 0);
  return {
    title: rows[0].metric,
    caption: captionOf(rows),
    x,
    series,
    xLabel: axis === 'n' ? 'n' : 'workers',
    yLabel: rows[0].unit,
    logarithmic,
  };
}
