/** Checks command-line options. All checks throw PITV_USAGE with a message of one line. */
import { PitvError } from '../../../app/errors.js';

/** Makes the error. @param {string} problem */
export function usage(problem) {
  return new PitvError('PITV_USAGE', `${problem} Run 'pitv bench --help' for help.`);
}

/**
 * Parses a whole number.
 * @param {string} name @param {string | undefined} text @param {number} least @param {number} most
 * @returns {number | undefined}
 */
export function whole(name, text, least, most) {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw usage(`--${name} must be a whole number from ${least} to ${most}, not '${text}'.`);
}

/** Parses `a,b,c`. @param {string} name @param {string | undefined} text @returns {string[] | undefined} */
export function words(name, text) {
  if (text === undefined) return undefined;
  const found = text.split(',').map((word) => word.trim());
  if (found.every((word) => /^[\w.+-]+$/.test(word))) return [...new Set(found)];
  throw usage(`--${name} must be names separated by commas, not '${text}'.`);
}
