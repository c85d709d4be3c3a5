/** Formats plain text tables for a terminal. */

/** Formats a size in MiB. @param {number | undefined} kib @returns {string} */
export function mib(kib) {
  return kib === undefined ? '-' : (kib / 1024).toFixed(1);
}

/**
 * Aligns cells in columns. Each column is as wide as its widest cell.
 * @param {string[][]} rows a row may have fewer cells than others
 * @param {(column: number) => boolean} [isRight] whether the cells of a column are aligned to the right
 * @returns {string[]} a line for each row
 */
export function alignColumns(rows, isRight = () => false) {
  /** @type {number[]} */
  const widths = [];
  for (const row of rows) {
    row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  }
  return rows.map((row) =>
    row
      .map((cell, i) => (isRight(i) ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
      .join('  ')
      .trimEnd(),
  );
}

/** Formats a table. @param {string[]} head @param {string[][]} rows @param {number} [left] number of text columns */
export const table = (head, rows, left = 0) =>
  alignColumns([head, ...rows], (i) => i >= left).join('\n');
