import { fill, h, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';

/** Draws plots with uPlot, which the browser loads when the first one is shown. */

const HEIGHT = 190;
const FONT = "12px 'pitv Hangul', system-ui, 'Liberation Sans', sans-serif";
const AREA_ALPHA = '99';
const SHADE = '#ff6b6b40';

/** @typedef {import('./history-plots.js').Plot} Plot */
/** @typedef {import('uplot')} UPlot */

/** @type {Promise<typeof import('uplot')> | undefined} */
let loading;

/** Loads uPlot and its styles. @returns {Promise<typeof import('uplot')>} */
function load() {
  loading ??= new Promise((resolve, reject) => {
    const fail = () => {
      loading = undefined;
      reject(new Error(textOf('plot.failed')));
    };
    const script = h('script', { src: '/lib/uplot.js', onerror: fail });
    // A browser before Chromium 85 loads uPlot and cannot parse it.
    script.onload = () => ('uPlot' in window ? resolve(Reflect.get(window, 'uPlot')) : fail());
    const style = h('link', { rel: 'stylesheet', href: '/lib/uplot.css' });
    style.onload = () => document.head.append(script);
    style.onerror = fail;
    document.head.append(style);
  });
  return loading;
}

/** Returns the value of a CSS variable. @param {string} name */
const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** @param {number} seconds since 1970 @returns {string} 21:05 */
const clockTime = (seconds) => {
  const date = new Date(seconds * 1000);
  return `${date.getHours()}:${String(date.getMinutes()).padStart(2, '0')}`;
};

/** @param {string} color */
const swatch = (color) => h('i.swatch', { style: `background: ${color}` });

/** One plot: title, canvas, note and legend. */
class Figure {
  /** @type {UPlot | undefined} */
  #chart;
  #title = h('figcaption');
  #canvas = h('div.canvas');
  #note = h('p.note.muted');
  #legend = h('p.legend.muted');
  element = h('figure.plot', this.#title, h('div.frame', this.#canvas, this.#note), this.#legend);
  /** The shape of the chart: a change of it needs a new chart. */
  #shape = '';
  /** @type {{plot?: Plot, seconds: number[], range: [number, number]}} */
  #shown = { seconds: [], range: [0, 1] };

  /**
   * Draws or updates the plot.
   * @param {typeof import('uplot')} UPlot
   * @param {Plot} plot @param {number[]} seconds @param {[number, number]} range
   */
  draw(UPlot, plot, seconds, range) {
    Object.assign(this.element.dataset, { plot: plot.id, samples: String(seconds.length) });
    this.#shown = { plot, seconds, range };
    setText(this.#title, plot.title);
    setText(this.#note, plot.note);
    this.#note.hidden = plot.note === '';
    const shape = JSON.stringify(plot.series.map(({ label, color }) => [label, color]));
    const data = /** @type {import('uplot').AlignedData} */ ([seconds, ...this.#values(plot)]);
    if (!this.#chart || shape !== this.#shape) {
      this.#shape = shape;
      this.#chart?.destroy();
      this.#chart = new UPlot(this.#options(UPlot, plot), data, this.#canvas);
    } else this.#chart.setData(data);
    this.#showLegend(null);
  }

  /** Fits the plot into its frame. */
  resize() {
    const width = this.#canvas.clientWidth;
    if (width > 0 && width !== this.#chart?.width) this.#chart?.setSize({ width, height: HEIGHT });
  }

  /**
   * Returns the values of the series; those of areas are sums with the areas below.
   * @param {Plot} plot @returns {(number | null)[][]}
   */
  #values({ kind, series }) {
    if (kind !== 'areas') return series.map(({ values }) => values);
    /** @type {(number | null)[] | undefined} */
    let below;
    return series.map(({ values }) => {
      const sums = below;
      below = values.map((value, i) => (value === null ? null : value + (sums?.[i] ?? 0)));
      return below;
    });
  }

  /** @param {typeof import('uplot')} UPlot @param {Plot} plot @returns {import('uplot').Options} */
  #options(UPlot, plot) {
    const { kind, unit, logarithmic, whole, bottom = 0 } = plot;
    const ink = { stroke: variable('--muted'), font: FONT, labelFont: FONT };
    const line = { stroke: variable('--line'), width: 1 };
    const axis = { ...ink, grid: line, ticks: { ...line, size: 4 }, gap: 4 };
    const last = plot.series.length;
    return {
      width: this.#canvas.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      padding: [10, 12, 0, 0],
      cursor: { drag: { x: false, y: false }, y: false, points: { size: 6 } },
      scales: {
        x: { time: true, range: () => this.#shown.range },
        y: {
          distr: logarithmic ? 3 : 1,
          range: (_, _low, high) => {
            const top = Math.max(plot.minTop, high ?? 0);
            if (logarithmic) return [bottom, 10 ** Math.ceil(Math.log10(top))];
            return [bottom, top === plot.minTop ? top : top * 1.08];
          },
        },
      },
      axes: [
        { ...axis, size: 24, space: 56, values: (_, splits) => splits.map(clockTime) },
        {
          ...axis,
          size: 46,
          label: unit,
          labelSize: 18,
          labelGap: 0,
          space: 30,
          ...(whole && { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000] }),
          ...(logarithmic && {
            filter: powersOfTen,
            grid: { ...line, filter: powersOfTen },
            ticks: { ...line, size: 4, filter: powersOfTen },
          }),
          values: (_, splits) => splits.map((value) => (value === null ? '' : String(value))),
        },
      ],
      series: [
        {},
        ...plot.series.map(({ label, color }, i) => {
          const stroke = variable(color);
          if (kind === 'areas') {
            return {
              label,
              // The line at the top is the sum of all.
              stroke: i === last - 1 ? variable('--text') : 'transparent',
              width: i === last - 1 ? 1.5 : 0,
              ...(i < last - 1 && { points: { show: false } }),
              ...(i === 0 && { fill: stroke + AREA_ALPHA }),
            };
          }
          const bars = kind === 'bars' && UPlot.paths.bars?.({ size: [1, 20, 3], align: -1 });
          const steps = kind === 'steps' && UPlot.paths.stepped?.({ align: 1 });
          return {
            label,
            stroke,
            width: kind === 'bars' ? 0 : 1.5,
            ...(kind === 'bars' && { fill: stroke, points: { show: false } }),
            ...((bars || steps) && { paths: bars || steps || undefined }),
          };
        }),
      ],
      bands:
        kind === 'areas'
          ? plot.series.slice(1).map(({ color }, i) => ({
              series: /** @type {[number, number]} */ ([i + 2, i + 1]),
              fill: variable(color) + AREA_ALPHA,
            }))
          : [],
      hooks: {
        drawClear: [(chart) => this.#drawShade(chart)],
        setCursor: [(chart) => this.#showLegend(chart.cursor.idx ?? null)],
      },
    };
  }

  /** Shades the times of the plot's `shade`. @param {UPlot} chart */
  #drawShade(chart) {
    const { plot, seconds } = this.#shown;
    const { ctx, bbox } = chart;
    ctx.save();
    ctx.fillStyle = SHADE;
    plot?.shade?.at.forEach((on, i) => {
      if (!on) return;
      // A sample stands for the time since the one before.
      const from = chart.valToPos(seconds[Math.max(0, i - 1)], 'x', true);
      const to = chart.valToPos(seconds[i], 'x', true);
      ctx.fillRect(from, bbox.top, Math.max(2, to - from), bbox.height);
    });
    ctx.restore();
  }

  /** Shows the values at the cursor, or the newest ones. @param {number | null} index */
  #showLegend(index) {
    const { plot, seconds } = this.#shown;
    if (!plot) return;
    const at = index ?? seconds.length - 1;
    const { digits, unit, series, kind, shade } = plot;
    const text = (/** @type {number | null | undefined} */ value) =>
      value === null || value === undefined ? '–' : value.toFixed(digits);
    const items = series
      .filter(({ values }) => index !== null || kind !== 'areas' || values.at(-1) !== 0)
      .map(({ label, color, values }) =>
        h('span', swatch(variable(color)), `${label} ${text(values[at])}`),
      );
    const known = series.map(({ values }) => values[at]).filter((value) => value !== null);
    const sum = known.length === 0 ? null : known.reduce((a, b) => a + (b ?? 0), 0);
    const hasSum = kind === 'areas' && series.length > 1;
    fill(
      this.#legend,
      h('span.time', index === null || at < 0 ? textOf('plot.now') : clockTime(seconds[at])),
      hasSum && h('span.sum', textOf('plot.all', { sum: text(sum), unit })),
      items,
      shade && h('span', swatch(SHADE), shade.label),
    );
  }
}

/** Labels only 0.1, 1, 10, ... @param {UPlot} _ @param {number[]} splits */
const powersOfTen = (_, splits) =>
  splits.map((value) =>
    Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6) ? value : null,
  );

/** The plots of the page, in a grid. */
export class Plots {
  element = h('div.plots');
  /** @type {Map<string, Figure>} */
  #figures = new Map();

  constructor() {
    addEventListener('resize', () => this.#figures.forEach((figure) => figure.resize()));
  }

  /**
   * Draws or updates all plots. The page has to be visible.
   * @param {{seconds: number[], range: [number, number], plots: Plot[]}} what
   * @throws {Error} when uPlot cannot be loaded
   */
  async draw({ seconds, range, plots }) {
    const UPlot = await load();
    for (const plot of plots) {
      let figure = this.#figures.get(plot.id);
      if (!figure) {
        figure = new Figure();
        this.#figures.set(plot.id, figure);
        this.element.append(figure.element);
      }
      figure.draw(UPlot, plot, seconds, range);
    }
  }
}
