/**
 * Stores published results: bench/results/NAME.json.gz has every sample of a run, its commit and its command, and the
 * page NAME.md every row with its median and interval.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { messageOf } from '../../../app/errors.js';
import { writeAtomically } from '../../commands/common/usage.js';
import { markdownTable } from '../markdown.js';
import { checkResults } from '../results.js';
import { figure, groupBy, labelOf, skippedLines, sourceLine } from '../text.js';

/**
 * @typedef {import('../results.js').Results} Results
 * @typedef {import('../results.js').Row} Row
 */

const FOLDER = 'bench/results';
const ENDING = '.json.gz';

/** The form of the names of published results. */
export const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Returns the path of published results. @param {string} name @returns {string} from the root of the project */
const pathOf = (name) => `${FOLDER}/${name}${ENDING}`;

/** Lists the names of published results. @param {string} root of the project @returns {string[]} sorted */
export function publishedNames(root) {
  const folder = join(root, FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
}

/**
 * Reads published results.
 * @param {string} root of the project @param {string} name
 * @returns {Results & {provenance: import('../results.js').Provenance}}
 * @throws {Error} with the file's path
 */
export function readPublished(root, name) {
  try {
    const text = gunzipSync(readFileSync(join(root, pathOf(name)))).toString();
    const results = checkResults(JSON.parse(text));
    const { provenance } = results;
    if (!provenance) throw new Error('has no commit and no command');
    return { ...results, provenance };
  } catch (error) {
    throw new Error(`${pathOf(name)}: ${messageOf(error)}`, { cause: error });
  }
}

/** Writes published results. @param {string} root of the project @param {string} name @param {Results} results */
export function writePublished(root, name, results) {
  mkdirSync(join(root, FOLDER), { recursive: true });
  const bytes = gzipSync(`${JSON.stringify(results)}\n`, { level: 9 });
  writeAtomically(join(root, pathOf(name)), bytes);
}

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
