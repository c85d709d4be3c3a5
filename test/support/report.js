/** Formats the tables of `make hostile`, `make fuzz`, `make faults` and `make soak`. */
import { markdownTable } from '../../bench/report/markdown.js';

/**
 * @template T
 * @typedef {[title: string, cell: (item: T) => string | number][]} Columns of a table
 */

/**
 * Formats a table with a row for each item.
 * @template T
 * @param {Columns<T>} columns @param {T[]} items
 * @param {number} [left] the number of text columns, from the left; the others have figures. By default all
 * @returns {string} Markdown
 */
export function tableOf(columns, items, left) {
  const head = columns.map(([title]) => title);
  const rows = items.map((item) => columns.map(([, cell]) => cell(item)));
  return markdownTable(head, rows, left);
}
