/** Finds tables and figures in Markdown. */
import { createHash } from 'node:crypto';

/**
 * @typedef {object} FoundTable
 * @property {number} line number of the head's line, from 1
 * @property {string} head
 * @property {string} numbers fingerprint of the numbers in its rows
 */

const NUMBER = /\d[\d,]*(?:\.\d+)?/g;
const DELIMITER = /^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$/;
const FINGERPRINT_DIGITS = 12;

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
  /** @type {FoundTable[]} */
  const found = [];
  let isCode = false;
  for (let i = 0; i < lines.length; i++) {
    if (/^\s*(```|~~~)/.test(lines[i])) isCode = !isCode;
    if (isCode || !lines[i].startsWith('|') || !DELIMITER.test(lines[i + 1] ?? '')) continue;
    const head = lines[i];
    const line = i + 1;
    const rows = [];
    for (i += 2; i < lines.length && lines[i].startsWith('|'); i++) rows.push(lines[i]);
    const numbers = numbersIn(rows.join('\n'));
    if (numbers.length > 0) found.push({ line, head, numbers: fingerprint(numbers) });
  }
  return found;
}

/** Lists the numbers in a text, without link targets. @param {string} text @returns {string[]} */
export const numbersIn = (text) => withoutTargets(text).match(NUMBER) ?? [];

/** @param {string[]} numbers */
const fingerprint = (numbers) =>
  createHash('sha256').update(numbers.join(' ')).digest('hex').slice(0, FINGERPRINT_DIGITS);

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
