/** Writes the output of commands. Texts of strangers in it are shown as text. */
import { alignColumns as align } from '../../../ksm/table.js';
import { visibleText } from '../../errors/visible-text.js';
import { sentenceText } from '../../language/index.js';

/** Writes to stdout. @param {string} text */
export const print = (text) => void process.stdout.write(visibleText(text));

/** Writes a sentence to stdout, in the reader's language. @param {string} sentence */
export const printSentence = (sentence) => print(`${sentenceText(sentence)}\n`);

/** Writes to stderr. @param {string} text */
export const printError = (text) => void process.stderr.write(visibleText(text));

/**
 * Aligns the cells of rows in columns.
 * @param {string[][]} given rows; a row may have fewer cells than others
 * @param {number[]} [right] columns whose cells are aligned to the right
 * @returns {string} one line for each row
 */
export function alignColumns(given, right = []) {
  const rows = given.map((row) => row.map(visibleText));
  return align(rows, (i) => right.includes(i))
    .map((line) => `${line}\n`)
    .join('');
}
