import { text as textOf } from '../lib/language.js';

/** Turns the samples of the last hour into plots. */

/** A pause between samples that is longer than this many intervals leaves a gap in the lines. */
const GAP_INTERVALS = 2.5;
/** The smallest delay on the logarithmic axis, ms. */
const MIN_DELAY_MS = 0.1;
/** Workers with an area of their own in the plot of memory, the newest ones. */
const MAX_WORKERS = 8;
const KIB_PER_MIB = 1024;
/** A reading of the memory stands for the samples after it, up to this many. */
const MAX_HELD = 8;
/** The longest and the shortest x axis: the TV may have started a moment ago. */
const MAX_SPAN_MS = 3_600_000;
const MIN_SPAN_MS = 300_000;

/** Of workers; see admin.css. */
const COLORS = Object.freeze(['--plot-6', '--plot-7', '--plot-8', '--plot-9']);

/**
 * @typedef {import('../../system/history.js').History} History
 * @typedef {History['columns']} Columns
 * @typedef {(number | null)[]} Values
 *
 * @typedef {object} Plot
 * @property {string} id
 * @property {string} title
 * @property {string} unit of the y axis
 * @property {'areas' | 'lines' | 'steps' | 'bars'} kind areas are stacked
 * @property {number} digits of the values in the legend; 0: the labels of the y axis are whole numbers, too
 * @property {number} minTop the y axis reaches at least up to here
 * @property {boolean} [logarithmic]
 * @property {number} [bottom] of the y axis; 0 by default
 * @property {{label: string, color: string, values: Values}[]} series color: name of a CSS variable
 * @property {string} note shown over the plot; empty: none
 * @property {{label: string, at: (boolean | null)[]}} [shade] times that are shaded
 */

/**
 * Makes the plots. Where samples are missing, their x values get an extra one without a value, so that lines have gaps.
 * @param {History} history
 * @returns {{seconds: number[], range: [number, number], plots: Plot[]}} times since 1970
 */
export function plotsOf({ at, now, intervalMs, columns, memory, processes }) {
  const isGap = (/** @type {number} */ i) => at[i] - at[i - 1] > GAP_INTERVALS * intervalMs;
  /** @template T @param {T[]} values @param {(i: number) => T} missing @returns {T[]} */
  const withGaps = (values, missing) =>
    values.flatMap((value, i) => (isGap(i) ? [missing(i), value] : [value]));
  const column = (/** @type {keyof Columns} */ name) =>
    withGaps(columns[name], () => /** @type {number | null} */ (null));
  const first = Math.min(at[0] ?? now, now - MIN_SPAN_MS);
  return {
    seconds: withGaps(at, (i) => (at[i - 1] + at[i]) / 2).map((ms) => ms / 1000),
    range: [Math.max(first, now - MAX_SPAN_MS) / 1000, now / 1000],
    plots: [
      memoryPlot(
        withGaps(hold(memory), () => null),
        processes,
      ),
      ...columnPlots(column),
      temperaturePlot(column('celsius'), column('throttled')),
    ],
  };
}

/** @param {Values} values */
const isEmpty = (values) => values.every((value) => value === null);

/**
 * Makes a plot.
 * @param {'memory' | 'loop' | 'late' | 'matches' | 'restarts' | 'temperature'} id
 * @param {Pick<Plot, 'unit' | 'kind' | 'digits' | 'minTop'> & Partial<Plot>} look
 * @param {[label: string, color: string, values: Values][]} lines
 * @param {string} [zero] the note if there are only zeros
 * @returns {Plot}
 */
function plotOf(id, look, lines, zero = '') {
  const series = lines.map(([label, color, values]) => ({ label, color, values }));
  const isAllZero = series.every(({ values }) => values.every((value) => !value));
  const note = isEmpty(series[0]?.values ?? []) ? textOf('plot.none') : isAllZero ? zero : '';
  return { id, title: textOf(`plot.${id}`), series, note, ...look };
}

/** @param {(name: keyof Columns) => Values} column @returns {Plot[]} */
function columnPlots(column) {
  const delays = (/** @type {keyof Columns} */ name) =>
    column(name).map((ms) => (ms === null ? null : Math.max(MIN_DELAY_MS, ms)));
  const logarithmic = { bottom: MIN_DELAY_MS, minTop: 10, logarithmic: true };
  /**
   * Makes a plot of whole numbers.
   * @param {'late' | 'matches' | 'restarts'} id @param {Plot['kind']} kind @param {number} minTop
   * @param {Parameters<typeof plotOf>[2]} lines
   */
  const counts = (id, kind, minTop, lines) => {
    const look = { unit: textOf('plot.count'), kind, digits: 0, minTop };
    return plotOf(id, look, lines, textOf(`plot.${id}.none`));
  };
  return [
    plotOf('loop', { unit: 'ms', kind: 'lines', digits: 1, ...logarithmic }, [
      [textOf('plot.loop.longest'), '--plot-3', delays('loopMaxMs')],
      ['p99', '--plot-1', delays('loopP99Ms')],
      [textOf('plot.loop.median'), '--plot-2', delays('loopP50Ms')],
    ]),
    counts('late', 'bars', 10, [[textOf('column.lateTicks'), '--plot-4', column('lateTicks')]]),
    counts('matches', 'steps', 4, [
      [textOf('plot.matches.series'), '--plot-1', column('matches')],
      [textOf('plot.matches.phones'), '--plot-2', column('phones')],
    ]),
    counts('restarts', 'bars', 4, [[textOf('column.restarts'), '--plot-3', column('restarts')]]),
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

/**
 * Makes the plot of memory.
 * @param {History['memory']} memory
 * @param {History['processes']} processes
 * @returns {Plot}
 */
export function memoryPlot(memory, processes) {
  const areas = groupsOf(memory, processes).map(({ label, color, keys }) => {
    const values = memory.map((sample) => (sample === null ? null : mibOf(sample, keys)));
    return /** @type {[string, string, Values]} */ ([label, color, values]);
  });
  const note = memory.every((sample) => sample === null) ? textOf('plot.memory.note') : '';
  return plotOf('memory', { unit: 'MiB', kind: 'areas', digits: 1, minTop: 10, note }, areas);
}

/**
 * Repeats each reading of the memory until the next one, for a while: it may be measured less often than the rest.
 * @param {History['memory']} memory @returns {History['memory']}
 */
function hold(memory) {
  let last = -Infinity;
  return memory.map((sample, i) => {
    if (sample !== null) last = i;
    return i - last <= MAX_HELD ? memory[last] : null;
  });
}

/** Adds up processes, MiB. @param {number[]} sample key and KiB in turn @param {Set<number>} keys */
function mibOf(sample, keys) {
  let kib = 0;
  for (let i = 0; i < sample.length; i += 2) if (keys.has(sample[i])) kib += sample[i + 1];
  return kib / KIB_PER_MIB;
}

/**
 * Groups processes: those without a game by their name, workers each by itself.
 * @param {History['memory']} memory @param {History['processes']} processes
 * @returns {{label: string, color: string, keys: Set<number>}[]} from the bottom to the top
 */
function groupsOf(memory, processes) {
  /** Index of the last sample of each process. @type {Map<number, number>} */
  const seen = new Map();
  memory.forEach((sample, index) => {
    for (let i = 0; i < (sample?.length ?? 0); i += 2) seen.set(Number(sample?.[i]), index);
  });
  const all = [...seen].map(([key, last]) => ({ key, last, ...processes[key] }));
  const workers = all
    .filter(({ name }) => name === 'worker')
    .sort((a, b) => b.last - a.last || b.key - a.key);
  const [shown, earlier] = [workers.slice(0, MAX_WORKERS), workers.slice(MAX_WORKERS)];
  /** @param {string} label @param {string} color @param {{key: number}[]} [list] */
  const group = (label, color, list = all.filter(({ name }) => name === label)) => {
    return { label, color, keys: new Set(list.map(({ key }) => key)) };
  };
  return [
    group('main', '--plot-1'),
    group('zygote', '--plot-2'),
    group('spare', '--plot-3'),
    ...shown
      .sort((a, b) => a.key - b.key)
      .map((worker, i) =>
        group(`${worker.game} ${worker.pid}`, COLORS[i % COLORS.length], [worker]),
      ),
    group(textOf('plot.memory.earlier'), '--plot-5', earlier),
    group('other', '--plot-4'),
  ].filter(({ keys }) => keys.size > 0);
}
