/** Plain text tables for a terminal. */

/** @param {number | undefined} kib @returns {string} */
export function mib(kib) {
  return kib === undefined ? '-' : (kib / 1024).toFixed(1);
}

/**
 * @param {string[]} head @param {string[][]} rows
 * @param {number} [left] how many columns, from the left, are text; the others are figures
 * @returns {string} lines, each column as wide as its widest cell
 */
export function table(head, rows, left = 0) {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, i) => (i < left ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
