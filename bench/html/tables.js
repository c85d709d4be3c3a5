/** A scenario's rows as tables: medians, intervals, every sample as a dot, and what may be said. */
import { headingOf, rowLabel, verdict } from '../report.js';
import { digits, groupBy, range } from '../text.js';
import { escape } from './escape.js';

/**
 * @typedef {import('../results.js').Results} Results
 * @typedef {import('../results.js').Row} Row
 */

const STRIP_WIDTH = 260;
const STRIP_HEIGHT = 22;
const MARGIN = 5;
/** A wider range than that is drawn on a logarithmic scale. */
const LINEAR_RATIO = 30;

/** @param {Results} results @param {string} scenario @returns {string} */
export function tables({ rows, comparisons }, scenario) {
  const mine = rows.filter((row) => row.scenario === scenario);
  return [...groupBy(mine, headingOf)]
    .map(([heading, group]) => table(heading, group, comparisons))
    .join('');
}

/** @param {string} heading @param {Row[]} group @param {Results['comparisons']} comparisons */
function table(heading, group, comparisons) {
  const sorted = group.toSorted((a, b) => a.median - b.median);
  const x = scaleOf(group.flatMap((row) => row.samples));
  const body = sorted.map((row) => {
    const text = verdict(row, comparisons);
    const none = text.startsWith('no difference') ? ' class="none"' : '';
    return `<tr><th scope="row">${escape(rowLabel(row))}</th><td class="number">${digits(row.median)}</td><td class="number soft">${range(row.ci95)}</td><td class="strip">${strip(row, x)}</td><td${none}>${escape(text)}</td></tr>`;
  });
  const scale = x.logarithmic ? ', logarithmic' : '';
  return `<table><caption>${escape(heading)}</caption><thead><tr><th scope="col"></th><th scope="col" class="number">median</th><th scope="col" class="number">95 % interval</th><th scope="col">samples (${digits(x.low)} to ${digits(x.high)}${scale})</th><th scope="col">against the reference</th></tr></thead><tbody>${body.join('')}</tbody></table>`;
}

/** @param {number[]} values */
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

/** Every sample, the interval of the median, the median. @param {Row} row @param {ReturnType<typeof scaleOf>} x */
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
