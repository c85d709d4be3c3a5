/** Writes the output of commands. Texts of strangers in it are shown as text. */
import { rename, rm, stat } from 'node:fs/promises';
import { alignColumns as align } from '../../../ksm/table.js';
import { PitvError } from '../../errors.js';
import { visibleText } from '../../errors/visible-text.js';
import { sentenceText } from '../../language/index.js';
import { reasonOf } from '../../storage/reason.js';

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

/**
 * Makes a file as a whole or not at all. What exists and is no file, such as a pipe or /dev/null, is written to.
 * @param {string} file @param {(path: string) => Promise<unknown>} write writes to a path
 * @throws {PitvError} PITV_FILE_UNWRITABLE
 */
export async function replaceFile(file, write) {
  const part = `${file}.part`;
  try {
    const about = await stat(file).catch(() => undefined);
    if (about && !about.isFile()) return void (await write(file));
    await rm(part, { force: true }); // it may be a link, in a folder of somebody else
    await write(part);
    await rename(part, file);
  } catch (cause) {
    await rm(part, { force: true });
    const sentence = `${file} cannot be written: ${reasonOf(cause)}.`;
    throw new PitvError('PITV_FILE_UNWRITABLE', sentence, { cause });
  }
}
