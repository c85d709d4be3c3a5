/** Formats plain text tables for a terminal. */

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
