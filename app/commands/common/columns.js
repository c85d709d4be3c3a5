/**
 * Aligns the cells of rows in columns.
 * @param {string[][]} rows a row may have fewer cells than others
 * @param {number[]} [right] columns whose cells are aligned to the right
 * @returns {string} one line for each row
 */
export function alignColumns(rows, right = []) {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_none, i) =>
    Math.max(...rows.map((row) => row[i]?.length ?? 0)),
  );
  const lines = rows.map((row) => {
    const cells = row.map((cell, i) =>
      right.includes(i) ? cell.padStart(widths[i]) : cell.padEnd(widths[i]),
    );
    return `${cells.join('  ').trimEnd()}\n`;
  });
  return lines.join('');
}
