/** Checks command-line options, and the files that they name. All errors are PITV_USAGE with a message of one line. */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { usageError } from '../../../app/config/flags.js';
import { parseValue, whole as from } from '../../../app/config/values.js';
import { messageOf } from '../../../app/errors.js';
import { checkResults } from '../../report/results.js';

/** Makes the error. @param {string} problem */
export const usage = (problem) => usageError(problem, 'pitv bench');

/**
 * Parses a whole number.
 * @param {string} name @param {string | undefined} text @param {number} least @param {number} most
 * @returns {number | undefined}
 */
export const whole = (name, text, least, most) =>
  text === undefined ? undefined : parseValue(`--${name}`, from(least, most), text);

/** Parses `a,b,c`. @param {string} name @param {string | undefined} text @returns {string[] | undefined} */
export function words(name, text) {
  if (text === undefined) return undefined;
  const found = text.split(',').map((word) => word.trim());
  if (found.every((word) => /^[\w.+-]+$/.test(word))) return [...new Set(found)];
  throw usage(`--${name} must be names separated by commas, not '${text}'.`);
}

/**
 * Replaces a file in one step. Empty text only checks that the file can be written.
 * @param {string} file @param {string | Buffer} text
 */
export function writeAtomically(file, text) {
  const fresh = `${file}.${process.pid}.tmp`;
  try {
    const about = statSync(file, { throwIfNoEntry: false });
    if (about && !about.isFile()) return writeFileSync(file, text); // a pipe, or /dev/null
    writeFileSync(fresh, text);
    if (text === '') rmSync(fresh);
    else renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw usage(`${file} can't be written: ${messageOf(error)}.`);
  }
}

/** Reads a results file. @param {string} file @returns {import('../../report/results.js').Results} */
export function readResults(file) {
  let content;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw usage(`${file} can't be read as JSON: ${messageOf(error)}.`);
  }
  try {
    return checkResults(content);
  } catch (error) {
    throw usage(`${file} ${messageOf(error)}.`);
  }
}
