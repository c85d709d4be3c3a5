/** Formats tables as Markdown. */

/** Formats a row of a table. @param {(string | number)[]} cells */
const markdownRow = (cells) =>
  `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;

/**
 * Formats a table.
 * @param {string[]} head @param {(string | number)[][]} rows
 * @param {number} [left] the number of text columns, from the left; the others have figures. By default all
 */
export const markdownTable = (head, rows, left = head.length) =>
  [head, head.map((_, i) => (i < left ? '---' : '---:')), ...rows].map(markdownRow).join('\n');

/**
 * @template T
 * @typedef {[title: string, cell: (item: T) => string | number][]} Columns of a table
 */

/**
 * Formats a table with a row for each item.
 * @template T
 * @param {Columns<T>} columns @param {T[]} items @param {number} [left] see markdownTable()
 */
export const tableOf = (columns, items, left) =>
  markdownTable(
    columns.map(([title]) => title),
    items.map((item) => columns.map(([, cell]) => cell(item))),
    left,
  );
