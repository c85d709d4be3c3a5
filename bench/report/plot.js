/**
 * Draws interval plots as SVG for the pages in docs/results: each row has its samples as dots, their median as a tick,
 * and its interval as a line.
 */
import { figure } from './text.js';

/**
 * @typedef {object} Mark a row of a plot
 * @property {string} label
 * @property {string} tone a name of COLOURS
 * @property {number} value usually a median
 * @property {[number, number]} interval of the value
 * @property {number[]} samples
 *
 * @typedef {object} Plot
 * @property {string} title @property {string} unit
 * @property {{title: string, marks: Mark[]}[]} groups
 * @property {boolean} [logarithmic]
 * @property {string[]} [notes] sentences below the plot
 */

/** Colours in the light and in the dark scheme. */
const COLOURS = Object.freeze({
  paper: ['#ffffff', '#0f1218'],
  ink: ['#14171c', '#eceff4'],
  soft: ['#5b6472', '#9aa5b5'],
  line: ['#d9dee5', '#2b3340'],
  process: ['#c2500a', '#ff9552'],
  thread: ['#1667b7', '#6cb2ff'],
  zygote: ['#0b8a62', '#3fd6a4'],
  mark: ['#6b3fa0', '#bb94f2'],
  seeds: ['#b0367f', '#f285c1'],
  identical: ['#d18b00', '#f2bd4b'],
  other: ['#7a818c', '#9aa5b5'],
});

const WIDTH = 640;
const MARGIN = 14;
const VALUE_WIDTH = 76;
/** The average width of a character of a label. */
const LABEL_CHARACTER = 7.3;
const ROW_HEIGHT = 22;
const HEADING_HEIGHT = 30;
const TITLE_HEIGHT = 20;
const NOTE_HEIGHT = 16;
/** What fits into a line: the average character of these sizes is 8 and 6.2 units wide. */
const TITLE_CHARACTERS = 74;
const NOTE_CHARACTERS = 92;
const DOT_RADIUS = 2.3;
const FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";

/** Escapes a value for a text or an attribute of SVG. @param {unknown} value @returns {string} */
function escape(value) {
  const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return String(value).replace(/[&<>"']/g, (c) => entities[/** @type {'&'} */ (c)]);
}

/**
 * Makes a scale. A linear one begins at 0.
 * @param {number[]} values @param {number} width @param {boolean} logarithmic
 */
function scaleOf(values, width, logarithmic) {
  const least = Math.min(...values);
  const high = Math.max(...values);
  const low = logarithmic ? least : Math.min(0, least);
  const span = logarithmic ? Math.log(high / low) : high - low;
  /** @param {number} value */
  const at = (value) => {
    const along = logarithmic ? Math.log(value / low) : value - low;
    return span > 0 ? (width * along) / span : 0;
  };
  return { at, low, high, logarithmic };
}

/** Lists the values of the axis. @param {ReturnType<typeof scaleOf>} scale @returns {number[]} */
function ticksOf({ low, high, logarithmic }) {
  if (!logarithmic) {
    const rough = (high - low) / 5;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
    const first = Math.ceil(low / step);
    return Array.from(
      { length: Math.floor(high / step) - first + 1 },
      (_, i) => (first + i) * step,
    );
  }
  const factors = high / low > 100 ? [1] : [1, 2, 5];
  const ticks = [];
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10) {
    ticks.push(...factors.map((factor) => factor * power));
  }
  return ticks.filter((value) => value >= low && value <= high);
}

/**
 * Draws the samples, the median and the interval of a row.
 * @param {Mark} mark @param {(value: number) => number} x @param {number} y
 */
function drawMark({ tone, value, interval, samples }, x, y) {
  const at = (/** @type {number} */ number) => x(number).toFixed(1);
  const dots = samples.map((sample, i) => {
    const cy = y + (((i * 7 + 2) % 5) - 2) * 2;
    return `<circle class="tone-${tone} dot" cx="${at(sample)}" cy="${cy}" r="${DOT_RADIUS}"/>`;
  });
  const line = `<path class="interval" d="M${at(interval[0])} ${y}H${at(interval[1])}"/>`;
  return `${dots.join('')}${line}<path class="median" d="M${at(value)} ${y - 6}v12"/>`;
}

/** Breaks a text into lines. @param {string} text @param {number} characters of a line @returns {string[]} */
const wrap = (text, characters) =>
  text.match(new RegExp(`\\S.{0,${characters - 1}}(?=\\s|$)`, 'g')) ?? [];

/** @param {string} kind @param {number} x @param {number} y @param {string} text @param {string} [anchor] */
const textAt = (kind, x, y, text, anchor = 'start') =>
  `<text class="${kind}" x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}">${escape(text)}</text>`;

/** Draws a plot. @param {Plot} plot @returns {string} SVG */
export function drawPlot({ title, unit, groups, logarithmic = false, notes = [] }) {
  const marks = groups.flatMap((group) => group.marks);
  const values = marks.flatMap((mark) => [mark.value, ...mark.interval, ...mark.samples]);
  const longest = Math.max(...marks.map(({ label }) => label.length));
  const labelWidth = MARGIN + 12 + longest * LABEL_CHARACTER;
  const room = WIDTH - labelWidth - VALUE_WIDTH;
  const scale = scaleOf(values, room, logarithmic);
  const x = (/** @type {number} */ value) => labelWidth + scale.at(value);
  const head = wrap(title, TITLE_CHARACTERS).map((line, i) =>
    textAt('title', MARGIN, 24 + i * TITLE_HEIGHT, line),
  );
  const top = 14 + head.length * TITLE_HEIGHT;
  let y = top;
  const rows = groups.flatMap((group) => {
    const heading = group.title ? [textAt('heading', MARGIN, y + 21, group.title)] : [];
    y += group.title ? HEADING_HEIGHT : 8;
    const drawn = group.marks.map((mark) => {
      const middle = y + ROW_HEIGHT / 2;
      y += ROW_HEIGHT;
      return [
        textAt('label', labelWidth - 12, middle + 5, mark.label, 'end'),
        drawMark(mark, x, middle),
        textAt('value', WIDTH - MARGIN, middle + 5, figure(mark.value), 'end'),
      ].join('');
    });
    return [...heading, ...drawn];
  });
  const bottom = y + 6;
  const grid = ticksOf(scale).map((value) => {
    const text = textAt('tick', x(value), bottom + 15, axisText(value), 'middle');
    return `<path class="grid" d="M${x(value).toFixed(1)} ${top + 6}V${bottom}"/>${text}`;
  });
  grid.push(textAt('tick', WIDTH - MARGIN, bottom + 15, unit, 'end'));
  const lines = notes.flatMap((note) => wrap(note, NOTE_CHARACTERS));
  const below = lines.map((line, i) => textAt('note', MARGIN, bottom + 40 + i * NOTE_HEIGHT, line));
  const height = bottom + 26 + (lines.length > 0 ? 8 + lines.length * NOTE_HEIGHT : 0);
  const body = [...grid, ...head, ...rows, ...below].join('\n');
  const name = `role="img" aria-label="${escape(title)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" ${name}>
<style>${colourVariables(0)}@media (prefers-color-scheme: dark) {${colourVariables(1)}}
${PLOT_STYLE}</style>
<rect class="back" width="${WIDTH}" height="${height}" rx="8"/>
${body}
</svg>
`;
}

/** Describes a plot for readers who cannot see it. @param {Plot} plot @returns {string} one line */
export function describePlot({ title, unit, groups }) {
  const parts = groups.map((group) => {
    const marks = group.marks.map(({ label, value }) => `${label} ${figure(value)}`).join(', ');
    return group.title ? `${group.title}: ${marks}` : marks;
  });
  return `${title}, ${unit}. ${parts.join('. ')}.`;
}

/** @param {number} value of the axis */
const axisText = (value) => Number(value.toPrecision(3)).toLocaleString('en');

/** @param {number} scheme 0: light, 1: dark */
const colourVariables = (scheme) =>
  `:root{${Object.entries(COLOURS)
    .map(([name, colours]) => `--${name}:${colours[scheme]}`)
    .join(';')}}`;

/** The style sheet of plots, without the values of the colours. */
const PLOT_STYLE = `svg { font: 13px ${FONT}; }
svg text { fill: var(--ink); }
svg .title { font-size: 15px; font-weight: 650; }
svg .heading { font-weight: 650; }
svg .tick, svg .note { fill: var(--soft); font-size: 11.5px; }
svg .value { font-variant-numeric: tabular-nums; }
svg .grid { stroke: var(--line); }
svg .back { fill: var(--paper); }
svg .interval { stroke: var(--ink); stroke-width: 2; }
svg .median { stroke: var(--ink); stroke-width: 2.5; }
svg .dot { fill-opacity: 0.55; }
${Object.keys(COLOURS)
  .map((name) => `svg .tone-${name} { fill: var(--${name}); }`)
  .join('\n')}`;
