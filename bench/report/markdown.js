/** Formats tables and reports as Markdown. */

/** Formats a row of a table. @param {(string | number)[]} cells */
const markdownRow = (cells) => `| ${cells.join(' | ')} |`;

/**
 * Formats a table.
 * @param {string[]} head @param {(string | number)[][]} rows
 * @param {number} [left] the number of text columns, from the left; the others have figures. By default all
 */
export const markdownTable = (head, rows, left = head.length) =>
  [head, head.map((_, i) => (i < left ? '---' : '---:')), ...rows].map(markdownRow).join('\n');

/**
 * Prints a report whose last paragraph says whether a run has passed, and sets the exit code of this process.
 * @param {string} title @param {string[]} paragraphs @param {string[]} problems one sentence for each
 */
export function printReport(title, paragraphs, problems) {
  const failed = problems.map((problem) => `- FAILED: ${problem}`).join('\n');
  console.log([`# ${title}`, ...paragraphs, failed || 'Passed.'].join('\n\n'));
  process.exitCode = problems.length > 0 ? 1 : 0;
}
