/** Draws horizontal bars as SVG, which needs no script: times on a logarithmic scale, and the parts of the memory. */
import { ENGINES } from '../../../app/engine/index.js';
import { PAPER } from '../paper.js';
import { digits, labelOf } from '../text.js';
import { escape } from './escape.js';

/** @typedef {import('../results.js').Results} Results */

const WIDTH = 560;
const LABEL_WIDTH = 186;
const VALUE_WIDTH = 84;
const ROW_HEIGHT = 30;
const BAR_HEIGHT = 18;

/**
 * @typedef {{label: string, tone: string, value: number, low?: number, high?: number}} Bar
 */

/** @param {number} height @param {string} title @param {string} body */
const svg = (height, title, body) =>
  `<svg class="bars" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escape(title)}">${body}</svg>`;

/** Draws the label of a row. @param {number} at row @param {string} label */
const rowLabel = (at, label) =>
  `<text class="label" x="${LABEL_WIDTH - 10}" y="${at * ROW_HEIGHT + 20}" text-anchor="end">${escape(label)}</text>`;

/** @param {string} title @param {Bar[]} bars @param {string} unit */
function logarithmicBars(title, bars, unit) {
  const least =
    10 ** Math.floor(Math.log10(Math.min(...bars.map(({ low, value }) => low || value))));
  const most =
    10 ** Math.ceil(Math.log10(Math.max(...bars.map(({ high, value }) => high ?? value))));
  const room = WIDTH - LABEL_WIDTH - VALUE_WIDTH;
  const x = (/** @type {number} */ value) =>
    LABEL_WIDTH + (room * Math.log(Math.max(value, least) / least)) / Math.log(most / least);
  const height = bars.length * ROW_HEIGHT;
  const ticks = [];
  for (let value = least; value <= most * 1.001; value *= 10) {
    ticks.push(`<line class="grid" x1="${x(value)}" x2="${x(value)}" y1="0" y2="${height}"/>`);
    ticks.push(
      `<text class="tick" x="${x(value)}" y="${height + 16}" text-anchor="middle">${value.toLocaleString('en')} ${unit}</text>`,
    );
  }
  const rows = bars.map(({ label, tone, value, low, high }, i) => {
    const y = i * ROW_HEIGHT + (ROW_HEIGHT - BAR_HEIGHT) / 2;
    const middle = y + BAR_HEIGHT / 2;
    const interval =
      low !== undefined && high !== undefined
        ? `<line class="interval" x1="${x(low)}" x2="${x(high)}" y1="${middle}" y2="${middle}"/>`
        : '';
    const end = Math.max(x(value), x(high ?? value));
    return (
      rowLabel(i, label) +
      `<rect class="tone-${tone}" x="${LABEL_WIDTH}" y="${y}" width="${Math.max(2, x(value) - LABEL_WIDTH)}" height="${BAR_HEIGHT}" rx="3"/>` +
      interval +
      `<text class="value" x="${end + 8}" y="${middle + 5}">${digits(value)} ${unit}</text>`
    );
  });
  return svg(height + 24, title, ticks.join('') + rows.join(''));
}

/**
 * Draws the times of section 4.1 of the paper: the creation of a process or a thread.
 * @param {Results} results
 * @returns {string} empty without the scenario `startup`
 */
export function creationBars({ rows }) {
  const ready = rows.filter((row) => row.scenario === 'startup' && row.metric === 'ready');
  if (ready.length === 0) return '';
  /** @type {Bar[]} */
  const bars = [
    { label: 'paper: process', tone: 'paper', value: PAPER.processMs },
    { label: 'paper: thread', tone: 'paper', value: PAPER.threadMs },
    ...ready.map((row) => {
      const { engine, median, ci95 } = row;
      const [low, high] = ci95;
      const tone = engine && ENGINES.includes(engine) ? engine : 'ideal';
      return { label: labelOf(row), tone, value: median, low, high };
    }),
  ];
  return logarithmicBars('Creation of a worker, until it is ready', bars, 'ms');
}

/** The parts of PSS, from left to right. */
const PARTS = { pss_anon: 'anonymous', pss_file: 'file', pss_shmem: 'shared (mailboxes)' };

/**
 * Draws the parts of PSS for each engine, with the largest number of games.
 * @param {Results} results
 * @returns {{html: string, workers: number}} html: empty without the scenario `memory`
 */
export function memoryBars({ rows }) {
  const memory = rows.filter((row) => row.scenario === 'memory');
  const workers = Math.max(...memory.map((row) => row.workers ?? 0), 0);
  const mine = memory.filter((row) => row.workers === workers);
  const label = (/** @type {import('../results.js').Row} */ row) =>
    labelOf({ ...row, workers: null });
  const variants = [...new Set(mine.map(label))];
  const value = (/** @type {string} */ variant, /** @type {string} */ metric) =>
    (mine.find((row) => label(row) === variant && row.metric === metric)?.median ?? 0) / 1024;
  const sums = variants.map((variant) =>
    Object.keys(PARTS).reduce((sum, part) => sum + value(variant, part), 0),
  );
  const most = Math.max(...sums, 0);
  if (most === 0) return { html: '', workers };
  const room = WIDTH - LABEL_WIDTH - VALUE_WIDTH;
  const body = variants.map((variant, i) => {
    const y = i * ROW_HEIGHT + (ROW_HEIGHT - BAR_HEIGHT) / 2;
    let x = LABEL_WIDTH;
    const parts = Object.entries(PARTS).map(([part, name], at) => {
      const width = (room * value(variant, part)) / most;
      const rect = `<rect class="part-${at}" x="${x}" y="${y}" width="${width}" height="${BAR_HEIGHT}"><title>${name}: ${digits(value(variant, part))} MiB</title></rect>`;
      x += width;
      return rect;
    });
    return `${rowLabel(i, variant)}${parts.join('')}<text class="value" x="${x + 8}" y="${y + 14}">${digits(sums[i])} MiB</text>`;
  });
  const legend = Object.values(PARTS).map(
    (name, at) => `<span class="key"><i class="swatch part-${at}"></i>${name}</span>`,
  );
  const html = svg(variants.length * ROW_HEIGHT, 'Parts of PSS', body.join(''));
  return { html: `${html}<p class="legend">${legend.join('')}</p>`, workers };
}
