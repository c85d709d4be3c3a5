/** Finds tables and figures in Markdown. */

/**
 * @typedef {object} FoundTable
 * @property {number} line number of the head's line, from 1
 * @property {string[]} head @property {string[][]} rows
 */

const NUMBER = /\d[\d,]*(?:\.\d+)?/g;
const DELIMITER = /^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$/;

/** A number with a unit of measurement. */
const FIGURE =
  /(?<![\w.,-])(\d[\d,]*(?:\.\d+)?)(?: to \d[\d,]*(?:\.\d+)?)? ?(?:ms|µs|ns|s|MiB|KiB|GiB|MB|kB|GB|%|times|x)(?:\/\w+)?(?![\w-])/g;

/**
 * Finds the tables that have numbers in their rows.
 * @param {string} text Markdown
 * @returns {FoundTable[]}
 */
export function findTables(text) {
  const lines = text.split('\n');
  const cells = (/** @type {string} */ line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  /** @type {FoundTable[]} */
  const found = [];
  let isCode = false;
  for (let i = 0; i < lines.length; i++) {
    if (/^\s*(```|~~~)/.test(lines[i])) isCode = !isCode;
    if (isCode || !lines[i].startsWith('|') || !DELIMITER.test(lines[i + 1] ?? '')) continue;
    const head = cells(lines[i]);
    const line = i + 1;
    const rows = [];
    for (i += 2; i < lines.length && lines[i].startsWith('|'); i++) rows.push(lines[i]);
    if (numbersIn(rows.join('\n')).length > 0) found.push({ line, head, rows: rows.map(cells) });
  }
  return found;
}

/** Lists the numbers in a text, without link targets. @param {string} text @returns {string[]} */
export const numbersIn = (text) => withoutTargets(text).match(NUMBER) ?? [];

/**
 * Finds numbers with a unit outside tables, code and link targets.
 * @param {string} text Markdown
 * @returns {{line: number, figure: string, number: string}[]}
 */
export function figuresInProse(text) {
  let isCode = false;
  return text.split('\n').flatMap((line, i) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    if (isCode || /^(\||\s{4})/.test(line)) return [];
    const prose = withoutTargets(line).replace(/`[^`]*`/g, '');
    return [...prose.matchAll(FIGURE)].map(([figure, number]) => ({ line: i + 1, figure, number }));
  });
}

/** @param {string} text Markdown */
const withoutTargets = (text) => text.replace(/\]\([^)]*\)/g, ']');
