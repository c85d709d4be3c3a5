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
      ...columnPlots(column),
      temperaturePlot(column('celsius'), column('throttled')),
    ],
  };
}

/** @param {Values} values */
const isEmpty = (values) => values.every((value) => value === null);
/** @param {Values} values */
const isZero = (values) => values.every((value) => !value);

/**
 * Makes a plot of columns.
 * @param {'loop' | 'late' | 'matches' | 'restarts' | 'temperature'} id
 * @param {Pick<Plot, 'unit' | 'kind' | 'digits' | 'minTop'> & Partial<Plot>} look
 * @param {[label: string, color: string, values: Values][]} lines
 * @param {string} [zero] the note if there are only zeros
 * @returns {Plot}
 */
function plotOf(id, look, lines, zero = '') {
  const series = lines.map(([label, color, values]) => ({ label, color, values }));
  const isAllZero = series.every(({ values }) => isZero(values));
  const note = isEmpty(series[0].values) ? textOf('plot.none') : isAllZero ? zero : '';
  return { id, title: textOf(`plot.${id}`), series, note, ...look };
}

/** @param {(name: keyof Columns) => Values} column @returns {Plot[]} */
function columnPlots(column) {
  const delays = (/** @type {keyof Columns} */ name) =>
    column(name).map((ms) => (ms === null ? null : Math.max(MIN_DELAY_MS, ms)));
  const logarithmic = { bottom: MIN_DELAY_MS, minTop: 10, logarithmic: true };
  const whole = { digits: 0, whole: true };
  return [
    plotOf('loop', { unit: 'ms', kind: 'lines', digits: 1, ...logarithmic }, [
      [textOf('plot.loop.longest'), '--plot-3', delays('loopMaxMs')],
      ['p99', '--plot-1', delays('loopP99Ms')],
      [textOf('plot.loop.median'), '--plot-2', delays('loopP50Ms')],
    ]),
    plotOf(
      'late',
      { unit: textOf('plot.late.unit'), kind: 'bars', minTop: 10, ...whole },
      [[textOf('plot.late.series'), '--plot-4', column('lateTicks')]],
      textOf('plot.late.none'),
    ),
    plotOf(
      'matches',
      { unit: textOf('plot.matches.unit'), kind: 'steps', minTop: 4, ...whole },
      [
        [textOf('plot.matches.series'), '--plot-1', column('matches')],
        [textOf('plot.matches.phones'), '--plot-2', column('phones')],
      ],
      textOf('plot.matches.none'),
    ),
    plotOf(
      'restarts',
      { unit: textOf('plot.restarts.unit'), kind: 'bars', minTop: 4, ...whole },
      [[textOf('plot.restarts.unit'), '--plot-3', column('restarts')]],
      textOf('plot.restarts.none'),
    ),
  ];
}

/** @param {Values} celsius @param {Values} throttled bits @returns {Plot} */
function temperaturePlot(celsius, throttled) {
  const isShaded = !isEmpty(throttled);
  const at = throttled.map((bits) => (bits === null ? null : bits !== 0));
  const note = textOf(isShaded ? 'plot.temperature.none' : 'plot.temperature.neither');
  return plotOf(
    'temperature',
    {
      unit: '°C',
      kind: 'lines',
      digits: 1,
      bottom: 20,
      minTop: 90,
      note: isEmpty(celsius) ? note : '',
      shade: isShaded ? { label: textOf('plot.throttled'), at } : undefined,
    },
    [[textOf('plot.temperature.series'), '--plot-4', celsius]],
  );
}
