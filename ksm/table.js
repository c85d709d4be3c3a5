/** Formats plain text tables for a terminal. */

/** Formats a size in MiB. @param {number | undefined} kib @returns {string} */
export function mib(kib) {
  return kib === undefined ? '-' : (kib / 1024).toFixed(1);
}

/**
 * Formats a table. Each column is as wide as its widest cell.
 * @param {string[]} head @param {string[][]} rows
 * @param {number} [left] the number of text columns, from the left; the others have figures
 * @returns {string} lines
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
