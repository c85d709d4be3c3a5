/** Draws a scenario's rows as tables: medians, intervals, every sample as a dot, and verdicts. */
import { MIN_INTERVAL_SAMPLES } from '../../stats/stats.js';
import { comparisonOf, describeComparison } from '../terminal.js';
import { digits, labelOf, range } from '../text.js';
import { drawMark, escape, scaleOf } from '../plot.js';
import { markOf } from '../published/declared.js';

/**
 * @typedef {import('../results.js').Results} Results
 * @typedef {import('../results.js').Row} Row
 */

const STRIP_WIDTH = 260;
const STRIP_HEIGHT = 22;
const MARGIN = 5;

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
  const values = group.flatMap((row) => row.samples);
  const x = scaleOf(values, STRIP_WIDTH - 2 * MARGIN);
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

/** Draws every sample, the median and its interval. @param {Row} row @param {ReturnType<typeof scaleOf>} scale */
function strip(row, scale) {
  const x = (/** @type {number} */ value) => MARGIN + scale.at(value);
  const mark = drawMark(markOf(row, { label: '', tone: 'thread' }), x, STRIP_HEIGHT / 2);
  return `<svg width="${STRIP_WIDTH}" height="${STRIP_HEIGHT}" aria-hidden="true">${mark}</svg>`;
}
