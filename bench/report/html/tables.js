/** Draws a scenario's rows as tables: medians, intervals, every sample as a dot, and verdicts. */
import { MIN_INTERVAL_SAMPLES } from '../../stats/stats.js';
import { comparisonOf, describeComparison } from '../terminal.js';
import { digits, labelOf, range } from '../text.js';
import { escape } from './escape.js';

/**
 * @typedef {import('../results.js').Results} Results
 * @typedef {import('../results.js').Row} Row
 */

const STRIP_WIDTH = 260;
const STRIP_HEIGHT = 22;
const MARGIN = 5;
/** A wider range is drawn on a logarithmic scale. */
const LINEAR_RATIO = 30;

/**
 * Makes a table, sorted by size, number of workers and median.
 * @param {Row[]} group of one scenario and metric @param {Results['comparisons']} comparisons
 * @returns {string}
 */
export function table(group, comparisons) {
  const sorted = group.toSorted(
    (a, b) =>
      Number(a.n) - Number(b.n) || Number(a.workers) - Number(b.workers) || a.median - b.median,
  );
  const x = scaleOf(group.flatMap((row) => row.samples));
  const body = sorted.map((row, i) => {
    const none = comparisonOf(row, comparisons)?.verdict === 'yes' ? '' : ' class="none"';
    const first = i > 0 && (row.n !== sorted[i - 1].n || row.workers !== sorted[i - 1].workers);
    return `<tr${first ? ' class="next"' : ''}><th scope="row">${escape(labelOf(row))}</th><td class="number">${digits(row.median)}</td><td class="number soft">${range(row.ci95)}</td><td class="strip">${strip(row, x)}</td><td${none}>${escape(describeComparison(row, comparisons))}</td></tr>`;
  });
  const scale = x.logarithmic ? ', logarithmic' : '';
  const few = group.every(({ samples }) => samples.length < MIN_INTERVAL_SAMPLES);
  const interval = few ? 'lowest to highest' : '95 % interval';
  return `<table><thead><tr><th scope="col"></th><th scope="col" class="number">median</th><th scope="col" class="number">${interval}</th><th scope="col">samples (${digits(x.low)} to ${digits(x.high)}${scale})</th><th scope="col">against the reference</th></tr></thead><tbody>${body.join('')}</tbody></table>`;
}

/** Chooses the scale of the samples. @param {number[]} values */
function scaleOf(values) {
  const least = Math.min(...values);
  const most = Math.max(...values);
  const logarithmic = least > 0 && most / least > LINEAR_RATIO;
  const low = logarithmic ? least : Math.min(0, least);
  const span = logarithmic ? Math.log(most / low) : most - low;
  const room = STRIP_WIDTH - 2 * MARGIN;
  /** @param {number} value */
  const at = (value) => {
    const along = logarithmic ? Math.log(value / low) : value - low;
    return (MARGIN + (span > 0 ? (room * along) / span : 0)).toFixed(1);
  };
  return { at, low, high: most, logarithmic };
}

/** Draws every sample, the median and its interval. @param {Row} row @param {ReturnType<typeof scaleOf>} x */
function strip({ samples, median, ci95: [low, high] }, x) {
  const middle = STRIP_HEIGHT / 2;
  const dots = samples.map((value, i) => {
    const y = middle + (((i * 7) % 5) - 2) * 2.2;
    return `<circle cx="${x.at(value)}" cy="${y.toFixed(1)}" r="2"/>`;
  });
  const interval = `<line class="interval" x1="${x.at(low)}" x2="${x.at(high)}" y1="${middle}" y2="${middle}"/>`;
  const mark = `<line class="median" x1="${x.at(median)}" x2="${x.at(median)}" y1="2" y2="${STRIP_HEIGHT - 2}"/>`;
  return `<svg width="${STRIP_WIDTH}" height="${STRIP_HEIGHT}" aria-hidden="true">${dots.join('')}${interval}${mark}</svg>`;
}
