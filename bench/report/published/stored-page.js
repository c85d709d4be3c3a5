/** Writes stored results as a page, bench/results/NAME.md: every row with its median and interval. */
import { markdownTable } from '../markdown.js';
import { figure, groupBy, labelOf, skippedLines, sourceLine } from '../text.js';

/**
 * @typedef {import('../results.js').Results} Results
 * @typedef {import('../results.js').Row} Row
 */

/** The first line of these pages. */
export const GENERATED = '<!-- `pitv bench publish` writes this page. -->';

/** @param {Row | undefined} row @param {number} runs of the method */
function cell(row, runs) {
  if (!row) return '';
  const [low, high] = row.ci95;
  const n = row.samples.length;
  const interval = n > 1 ? ` (${figure(low)} to ${figure(high)})` : '';
  return `${figure(row.median)}${interval}${n < runs ? `, n = ${n}` : ''}`;
}

/**
 * Writes the rows of a scenario. A table with more columns than lines is turned.
 * @param {Row[]} rows @param {number} runs of the method
 */
function tableOf(rows, runs) {
  const configurations = [...groupBy(rows, labelOf)];
  const metrics = [...groupBy(rows, ({ metric, unit }) => `${metric}, ${unit}`)];
  /** @param {Row[]} mine of a line @param {Row[]} theirs of a column */
  const common = (mine, theirs) => mine.find((row) => theirs.includes(row));
  const [lines, columns] =
    metrics.length > configurations.length ? [metrics, configurations] : [configurations, metrics];
  return markdownTable(
    ['', ...columns.map(([title]) => title)],
    lines.map(([title, mine]) => [
      title,
      ...columns.map(([, theirs]) => cell(common(mine, theirs), runs)),
    ]),
  );
}

/** Writes the page. @param {string} name @param {Results} results @returns {string} Markdown */
export function storedPage(name, results) {
  const { scenarios, rows, method, notes, warnings, skipped } = results;
  const sections = scenarios.flatMap((scenario) => {
    const mine = rows.filter((row) => row.scenario === scenario.name);
    return [`## ${scenario.name}\n\n${scenario.title}.`, tableOf(mine, method.runs)];
  });
  const remarks = [...notes, ...warnings, ...skippedLines(skipped)].map((line) => `- ${line}`);
  const parts = [GENERATED, `# Stored results: ${name}`, sourceLine(results), ...sections];
  return `${[...parts, remarks.join('\n')].join('\n\n').trimEnd()}\n`;
}

/** Lists the stored results. @param {Map<string, Results>} stored @returns {string} Markdown */
export const storedIndex = (stored) =>
  markdownTable(
    ['results', 'what', 'Node.js', 'date'],
    [...stored].map(([name, { scenarios, machine, startedAt }]) => [
      `[${name}](${name}.md)`,
      scenarios.map(({ title }) => title).join('; '),
      `${machine.node} ${machine.arch}`,
      startedAt.slice(0, 10),
    ]),
  );
