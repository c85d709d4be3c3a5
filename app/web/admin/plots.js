import { fill, h, setText, svg } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';

/** Draws plots over the time in SVG: lines, steps, bars, or areas on top of each other. */

/** Size of a picture, which is stretched to its place. */
const WIDTH = 1000;
const HEIGHT = 100;

/** @typedef {import('./history-plots.js').Plot} Plot */
/** @typedef {import('./history-plots.js').Values} Values */

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
/** @param {number} seconds since 1970 @returns {string} 21:05 or 9:05 PM, as the browser prefers */
const clockTime = (seconds) => CLOCK.format(seconds * 1000);

/** @param {string} color */
const swatch = (color) => h('i.swatch', { style: `background: var(${color})` });

/** Rounds up to 1, 2, 5, 10, 20 ... @param {number} value above 0 @returns {number} */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((factor) => factor * power >= value) ?? 10);
}

/** Adds to the values of each area those of the areas below. @param {Plot['series']} series @returns {Values[]} */
function stack(series) {
  /** @type {Values} */
  let below = [];
  return series.map(({ values }) => {
    const sums = below;
    below = values.map((value, i) => (value === null ? null : value + (sums[i] ?? 0)));
    return below;
  });
}

/**
 * Makes the path of a series.
 * @param {Plot['kind']} kind @param {Values} values
 * @param {(i: number) => number} x @param {(value: number) => number} y
 */
function pathOf(kind, values, x, y) {
  const parts = values.map((value, i) => {
    if (value === null) return '';
    const place = `${x(i)} ${y(value)}`;
    const begins = typeof values[i - 1] !== 'number';
    if (kind === 'bars') return value > 0 ? `M${x(i)} ${HEIGHT}V${y(value)}` : '';
    if (kind === 'areas') {
      const end = typeof values[i + 1] !== 'number' ? `V${HEIGHT}` : '';
      return `${begins ? `M${x(i)} ${HEIGHT}L` : 'L'}${place}${end}`;
    }
    if (begins) return `M${place}h0`; // a dot, if there is no other
    return kind === 'steps' ? `H${x(i)}V${y(value)}` : `L${place}`;
  });
  return svg('path', { d: parts.join('') });
}

/** One plot: title, picture, note, times and legend. */
class Figure {
  #title = h('figcaption');
  #labels = h('div.labels.muted');
  #picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none' });
  #cursor = svg('path', { class: 'cursor' });
  #note = h('p.note.fill.muted');
  #times = h('p.times.line.muted');
  #legend = h('p.legend.wrap.muted');
  element = h(
    'figure.plot',
    this.#title,
    h('div.frame', this.#labels, this.#picture, this.#note),
    this.#times,
    this.#legend,
  );

  /**
   * Draws or updates the plot.
   * @param {Plot} plot @param {number[]} seconds since 1970 @param {[number, number]} range of the x axis
   */
  draw(plot, seconds, [from, to]) {
    const { kind, bottom = 0, minTop, logarithmic, series, shade } = plot;
    Object.assign(this.element.dataset, { plot: plot.id, kind });
    setText(this.#title, plot.title);
    setText(this.#note, plot.note);
    this.#note.hidden = plot.note === '';
    const lines = kind === 'areas' ? stack(series) : series.map(({ values }) => values);
    const most = Math.max(minTop, ...lines.flat().map(Number));
    const decades = Math.ceil(Math.log10(most / bottom));
    const top = logarithmic ? bottom * 10 ** decades : most === minTop ? most : roundUp(most);
    const scale = logarithmic ? Math.log10 : Number;
    const x = (/** @type {number} */ i) => (WIDTH * (seconds[i] - from)) / (to - from);
    const y = (/** @type {number} */ value) =>
      (HEIGHT * (scale(top) - scale(value))) / (scale(top) - scale(bottom));
    const marks = logarithmic
      ? Array.from({ length: decades + 1 }, (_, i) => bottom * 10 ** i)
      : [bottom, (bottom + top) / 2, top].filter((mark) => plot.digits > 0 || mark % 1 === 0);
    fill(
      this.#labels,
      marks.map((value) =>
        h('span', { style: `top: ${y(value)}%` }, String(Number(value.toPrecision(3)))),
      ),
      h('small', plot.unit),
    );
    fill(this.#times, h('span', clockTime(from)), h('span', clockTime(to)));
    const shaded = shade?.at.map((on, i) => {
      // A sample stands for the time since the one before.
      const left = x(Math.max(0, i - 1));
      return on && svg('rect', { x: left, width: Math.max(2, x(i) - left), height: HEIGHT });
    });
    const paths = lines.map((values, i) => {
      const path = pathOf(kind, values, x, y);
      path.style.color = `var(${series[i].color})`;
      return path;
    });
    fill(this.#picture, shaded, paths.reverse(), this.#cursor); // the lower areas cover the higher ones
    const leave = () => {
      this.#cursor.removeAttribute('d');
      this.#showLegend(plot, seconds.length - 1);
    };
    this.#picture.onpointerleave = leave;
    this.#picture.onpointermove = ({ clientX }) => {
      const { left, width } = this.#picture.getBoundingClientRect();
      const at = from + ((clientX - left) * (to - from)) / width;
      const i = seconds.findIndex((each) => each >= at);
      if (i < 0) return;
      this.#cursor.setAttribute('d', `M${x(i)} 0V${HEIGHT}`);
      this.#showLegend(plot, i, clockTime(seconds[i]));
    };
    leave();
  }

  /**
   * Shows the values of a sample.
   * @param {Plot} plot @param {number} i @param {string} [time] of a sample that is not the newest
   */
  #showLegend({ digits, unit, series, kind, shade }, i, time) {
    const text = (/** @type {number | null | undefined} */ value) => value?.toFixed(digits) ?? '–';
    const shown = series.filter(({ values }) => time || kind !== 'areas' || values[i] !== 0);
    const known = series
      .map(({ values }) => values[i])
      .filter((value) => typeof value === 'number');
    const sum = known.length > 0 ? known.reduce((a, b) => a + b) : null;
    const hasSum = kind === 'areas' && series.length > 1;
    fill(
      this.#legend,
      h('span.time', time ?? textOf('plot.now')),
      hasSum && h('b', textOf('plot.all', { sum: text(sum), unit })),
      shown.map(({ label, color, values }) =>
        h('span', swatch(color), `${label} ${text(values[i])}`),
      ),
      shade && h('span', swatch('--shade'), shade.label),
    );
  }
}

/** Of the page, in the order of the plots. @type {Figure[]} */
const figures = [];

/**
 * Draws or updates all plots.
 * @param {Element} grid @param {ReturnType<typeof import('./history-plots.js').plotsOf>} what
 */
export function drawPlots(grid, { seconds, range, plots }) {
  for (const [i, plot] of plots.entries()) {
    figures[i] ??= new Figure();
    grid.append(figures[i].element);
    figures[i].draw(plot, seconds, range);
  }
}
