import { text as textOf } from '../lib/language.js';
import { hold, memoryPlot } from './memory-plot.js';

/** Turns the samples of the last hour into plots. */

/** A pause between samples that is longer than this many intervals leaves a gap in the lines. */
const GAP_INTERVALS = 2.5;
/** The smallest delay on the logarithmic axis, ms. */
const MIN_DELAY_MS = 0.1;

/**
 * @typedef {import('../../system/history.js').History} History
 * @typedef {History['columns']} Columns
 * @typedef {(number | null)[]} Values
 *
 * @typedef {object} Series
 * @property {string} label
 * @property {string} color name of a CSS variable
 * @property {Values} values
 *
 * @typedef {object} Plot
 * @property {string} id
 * @property {string} title
 * @property {string} unit of the y axis
 * @property {'areas' | 'lines' | 'steps' | 'bars'} kind areas are stacked
 * @property {number} digits of the values in the legend
 * @property {number} minTop the y axis reaches at least up to here
 * @property {boolean} [logarithmic]
 * @property {boolean} [whole] the y axis has whole numbers only
 * @property {number} [bottom] of the y axis; 0 by default
 * @property {Series[]} series
 * @property {string} note shown over the plot; empty: none
 * @property {{label: string, at: (boolean | null)[]}} [shade] times that are shaded
 */

/**
 * Makes the plots. Where samples are missing, their x values get an extra one without a value, so that lines have gaps.
 * @param {import('./hour-of-samples.js').HourOfSamples} hour
 * @returns {{seconds: number[], range: [number, number], plots: Plot[]}}
 */
export function plotsOf(hour) {
  const { at, columns, intervalMs } = hour;
  const gaps = at.flatMap((ms, i) =>
    i > 0 && ms - at[i - 1] > GAP_INTERVALS * intervalMs ? [i] : [],
  );
  /** @template T @param {T[]} values @param {(i: number) => T} missing @returns {T[]} */
  const withGaps = (values, missing) => {
    const all = [...values];
    for (const i of [...gaps].reverse()) all.splice(i, 0, missing(i));
    return all;
  };
  const seconds = hour.seconds;
  const between = withGaps(seconds, (i) => (seconds[i - 1] + seconds[i]) / 2);
  const column = (/** @type {keyof Columns} */ name) =>
    withGaps(columns[name] ?? [], () => /** @type {number | null} */ (null));
  const memory = withGaps(hold(hour.memory), () => null);
  return {
    seconds: between,
    range: hour.range,
    plots: [
      memoryPlot(memory, hour.processes),
      delayPlot(column),
      latePlot(column),
      matchPlot(column),
      restartPlot(column),
      temperaturePlot(column),
    ],
  };
}

/** @param {Values} values */
const isEmpty = (values) => values.every((value) => value === null);
/** @param {Values} values */
const isZero = (values) => values.every((value) => !value);

/**
 * Returns the note over a plot of which there are no values, or only zeros.
 * @param {Values} values @param {import('../lib/language.js').TextKey} zero text
 */
const noteOf = (values, zero) =>
  isEmpty(values) ? textOf('plot.none') : isZero(values) ? textOf(zero) : '';

/** @param {(name: keyof Columns) => Values} column @returns {Plot} */
function delayPlot(column) {
  const delays = (/** @type {keyof Columns} */ name) =>
    column(name).map((ms) => (ms === null ? null : Math.max(MIN_DELAY_MS, ms)));
  const series = [
    { label: textOf('plot.loop.longest'), color: '--plot-3', values: delays('loopMaxMs') },
    { label: 'p99', color: '--plot-1', values: delays('loopP99Ms') },
    { label: textOf('plot.loop.median'), color: '--plot-2', values: delays('loopP50Ms') },
  ];
  return {
    id: 'loop',
    title: textOf('plot.loop'),
    unit: 'ms',
    kind: 'lines',
    digits: 1,
    bottom: MIN_DELAY_MS,
    minTop: 10,
    logarithmic: true,
    series,
    note: isEmpty(series[0].values) ? textOf('plot.none') : '',
  };
}

/** @param {(name: keyof Columns) => Values} column @returns {Plot} */
function latePlot(column) {
  const values = column('lateTicks');
  return {
    id: 'late',
    title: textOf('plot.late'),
    unit: textOf('plot.late.unit'),
    kind: 'bars',
    digits: 0,
    minTop: 10,
    whole: true,
    series: [{ label: textOf('plot.late.series'), color: '--plot-4', values }],
    note: noteOf(values, 'plot.late.none'),
  };
}

/** @param {(name: keyof Columns) => Values} column @returns {Plot} */
function matchPlot(column) {
  const series = [
    { label: textOf('plot.matches.series'), color: '--plot-1', values: column('matches') },
    { label: textOf('plot.matches.phones'), color: '--plot-2', values: column('phones') },
  ];
  return {
    id: 'matches',
    title: textOf('plot.matches'),
    unit: textOf('plot.matches.unit'),
    kind: 'steps',
    digits: 0,
    minTop: 4,
    whole: true,
    series,
    note: isEmpty(series[0].values)
      ? textOf('plot.none')
      : series.every(({ values }) => isZero(values))
        ? textOf('plot.matches.none')
        : '',
  };
}

/** @param {(name: keyof Columns) => Values} column @returns {Plot} */
function restartPlot(column) {
  const values = column('restarts');
  return {
    id: 'restarts',
    title: textOf('plot.restarts'),
    unit: textOf('plot.restarts.unit'),
    kind: 'bars',
    digits: 0,
    minTop: 4,
    whole: true,
    series: [{ label: textOf('plot.restarts.unit'), color: '--plot-3', values }],
    note: noteOf(values, 'plot.restarts.none'),
  };
}

/** @param {(name: keyof Columns) => Values} column @returns {Plot} */
function temperaturePlot(column) {
  const values = column('celsius');
  const throttled = column('throttled');
  return {
    id: 'temperature',
    title: textOf('plot.temperature'),
    unit: '°C',
    kind: 'lines',
    digits: 1,
    bottom: 20,
    minTop: 90,
    series: [{ label: textOf('plot.temperature.series'), color: '--plot-4', values }],
    note: isEmpty(values)
      ? isEmpty(throttled)
        ? textOf('plot.temperature.neither')
        : textOf('plot.temperature.none')
      : '',
    shade: isEmpty(throttled)
      ? undefined
      : {
          label: textOf('plot.throttled'),
          at: throttled.map((bits) => (bits === null ? null : bits !== 0)),
        },
  };
}
