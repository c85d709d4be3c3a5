/** Formats results for a terminal. */
import { alignColumns } from '../../ksm/table.js';
import { MIN_INTERVAL_SAMPLES } from '../stats/stats.js';
import { comparisonOf } from './comparisons.js';
import { MIN_RUNS } from './results.js';
import {
  count,
  digits,
  failedLines,
  groupBy,
  labelOf,
  machineLine,
  methodLine,
  range,
  skippedLines,
  verdictText,
} from './text.js';

const BAR_WIDTH = 24;

/**
 * @typedef {import('./results.js').Row} Row
 * @typedef {import('./results.js').Results} Results
 */

/**
 * Formats a table for each scenario, metric, size and number of workers. Rows are sorted by median, and have the ratio
 * to the reference.
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
      // If each size has one row, all sizes share a table.
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
  lines.push('', `  ${methodLine(results)}`, `  ${machineLine(results.machine)}`);
  if (results.method.runs < MIN_RUNS) {
    lines.push(`  Fewer than ${MIN_RUNS} runs: a first look.`);
  }
  if (!results.complete) lines.push('  The run was interrupted.');
  return lines.join('\n') + '\n';
}

/** Lists notes, warnings, skipped configurations and failures. @param {Results} results */
function remarks({ notes, warnings, failures, skipped }) {
  const lines = notes.map((note) => `  note: ${note}`);
  lines.push(...warnings.map((warning) => `  warning: ${warning}`));
  lines.push(...skippedLines(skipped).map((line) => `  skipped: ${line}`));
  lines.push(...failedLines(failures).map((line) => `  failed: ${line}`));
  return lines.length > 0 ? ['', ...lines] : [];
}

/** Formats the fields that the rows of a table have in common. @param {Row} row */
function headingOf({ metric, unit, workers, n }) {
  const parts = [`${metric} [${unit}]`];
  if (n !== null) parts.push(`n = ${n.toLocaleString('en')}`);
  if (workers !== null) parts.push(count(workers, 'worker'));
  return parts.join(', ');
}

/** Formats the fields that differ between the rows of a table. @param {Row} row */
const rowLabel = (row) => labelOf({ ...row, workers: null, n: null });

/**
 * Formats the lines of a table.
 * @param {Row[]} rows @param {Results['comparisons']} comparisons @param {(row: Row) => string} label
 */
function table(rows, comparisons, label) {
  const most = Math.max(...rows.map((row) => row.median));
  const cells = rows
    .toSorted((a, b) => (label === labelOf ? 0 : a.median - b.median))
    .map((row) => [
      `    ${label(row)}`,
      digits(row.median),
      range(row.ci95),
      '█'.repeat(Math.max(1, Math.round((BAR_WIDTH * row.median) / most) || 1)),
      describeComparison(row, comparisons),
    ]);
  return alignColumns(cells, (column) => column === 1);
}

/**
 * Describes the comparison of a row with its reference. Returns an empty string for the reference itself.
 * @param {Row} row @param {Results['comparisons']} comparisons
 */
function describeComparison(row, comparisons) {
  const found = comparisonOf(row, comparisons);
  if (!found) return '';
  const { verdict, ratio, ci95, n } = found;
  if (verdict === 'yes') return `${digits(ratio)} x (${range(ci95)})`;
  const what = n < MIN_INTERVAL_SAMPLES ? digits(ratio) : range(ci95);
  return `${verdictText(found)}; ${what} x`;
}
