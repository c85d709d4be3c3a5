/** Results as text for a terminal. */
import { MIN_RUNS, labelOf } from './results.js';
import { digits, groupBy, machineLine, methodLine, range } from './text.js';

const BAR_WIDTH = 24;

/**
 * @typedef {import('./results.js').Row} Row
 * @typedef {import('./results.js').Results} Results
 */

/**
 * One table for each scenario, metric, size and number of workers; the rows in order of their
 * medians, with the ratio to the reference.
 * @param {Results} results
 * @returns {string}
 */
export function formatResults(results) {
  const lines = [];
  for (const { name, title } of results.scenarios) {
    lines.push('', `${name}: ${title}`);
    const rows = results.rows.filter((row) => row.scenario === name);
    for (const [metric, group] of groupBy(rows, ({ metric, unit }) => `${metric} [${unit}]`)) {
      const tables = groupBy(group, headingOf);
      // One row a size: a table of its own for each would be none.
      if (tables.size === group.length) {
        lines.push('', `  ${metric}`, ...table(group, results.comparisons, labelOf));
      } else {
        for (const [heading, some] of tables) {
          lines.push('', `  ${heading}`, ...table(some, results.comparisons, rowLabel));
        }
      }
    }
  }
  lines.push(...remarks(results));
  lines.push('', `  ${methodLine(results.method)}`, `  ${machineLine(results.machine)}`);
  if (results.method.runs < MIN_RUNS) {
    lines.push(`  Fewer than ${MIN_RUNS} runs: good for a first look, not for a claim.`);
  }
  if (!results.complete) lines.push('  Cut short: these are the runs that were done.');
  return lines.join('\n') + '\n';
}

/** @param {Results} results */
function remarks({ notes, warnings, failures, rows }) {
  const lines = notes.map((note) => `  note: ${note}`);
  lines.push(...warnings.map((warning) => `  warning: ${warning}`));
  const outliers = rows.reduce((sum, row) => sum + row.outliers, 0);
  const samples = rows.reduce((sum, row) => sum + row.samples.length, 0);
  if (outliers > 0) {
    lines.push(`  note: ${outliers} of ${samples} samples lie far off the others; they are kept.`);
  }
  const failed = groupBy(failures, ({ scenario, configuration, message }) => {
    return `  failed: ${scenario} ${labelOf(configuration)}: ${message}`;
  });
  for (const [text, { length }] of failed) {
    lines.push(length > 1 ? `${text} (${length} times)` : text);
  }
  return lines.length > 0 ? ['', ...lines] : [];
}

/** What the rows of a table have in common. @param {Row} row */
function headingOf({ metric, unit, workers, n }) {
  const parts = [`${metric} [${unit}]`];
  if (n !== null) parts.push(`n = ${n.toLocaleString('en')}`);
  if (workers !== null) parts.push(`${workers} ${workers === 1 ? 'worker' : 'workers'}`);
  return parts.join(', ');
}

/** What tells the rows of a table apart. @param {Row} row */
const rowLabel = (row) => labelOf({ ...row, workers: null, n: null });

/** @param {Row[]} rows @param {Results['comparisons']} comparisons @param {(row: Row) => string} label */
function table(rows, comparisons, label) {
  const most = Math.max(...rows.map((row) => row.median));
  const width = Math.max(...rows.map((row) => label(row).length));
  const spans = rows.map((row) => range(row.ci95).length);
  return rows
    .toSorted((a, b) => (label === labelOf ? 0 : a.median - b.median))
    .map((row) => {
      const bar = '█'.repeat(Math.max(1, Math.round((BAR_WIDTH * row.median) / most) || 1));
      const middle = digits(row.median).padStart(9);
      const interval = range(row.ci95).padEnd(Math.max(...spans));
      return `    ${label(row).padEnd(width)} ${middle}  ${interval}  ${bar.padEnd(BAR_WIDTH)} ${verdict(row, comparisons)}`.trimEnd();
    });
}

/**
 * The comparison of a row with its reference, in words.
 * @param {Row} row @param {Results['comparisons']} comparisons
 */
export function verdict(row, comparisons) {
  const found = comparisons.find(
    ({ scenario, metric, a }) =>
      scenario === row.scenario && metric === row.metric && a === labelOf(row),
  );
  if (!found) return '';
  if (!found.significant && row.samples.length < MIN_RUNS) {
    return `${digits(found.ratio)} x, too few runs to say`;
  }
  if (!found.significant) return `no difference seen (${range(found.ci95)} x)`;
  return `${digits(found.ratio)} x (${range(found.ci95)})`;
}
