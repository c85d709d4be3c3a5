/** Finds tables, figures and the places of generated contents in pages of Markdown. */

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

/** `<!-- pitv bench: table NAME -->` or `plot NAME`, to `<!-- end of pitv bench -->`. */
const PLACE =
  /(<!-- pitv bench: ((?:table|plot) [\w-]+) -->)([\s\S]*?)(<!-- end of pitv bench -->)/g;

/** Finds the tables that have numbers in their rows. @param {string} text Markdown @returns {FoundTable[]} */
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

/** Lists the places, as `table NAME` or `plot NAME`. @param {string} text of a Markdown file @returns {string[]} */
export const placesIn = (text) => [...text.matchAll(PLACE)].map(([, , name]) => name);

/**
 * Fills places. The rest of the text does not change.
 * @param {string} text of a Markdown file
 * @param {Map<string, string>} contents Markdown by the name of the place; places without a content do not change
 */
export const fillPlaces = (text, contents) =>
  text.replace(PLACE, (whole, start, name, _, end) => {
    const content = contents.get(name);
    return content === undefined ? whole : `${start}\n\n${content.trim()}\n\n${end}`;
  });

/**
 * Removes places and their contents. The number of lines does not change.
 * @param {string} text of a Markdown file @param {(name: string) => boolean} which
 */
export const withoutPlaces = (text, which) =>
  text.replace(PLACE, (whole, _, name) =>
    which(name) ? '\n'.repeat(whole.split('\n').length - 1) : whole,
  );
