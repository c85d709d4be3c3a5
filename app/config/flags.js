/** Parses the arguments of a command, and derives the names of flags and environment variables from settings. */
import { parseArgs } from 'node:util';
import { PitvError, firstSentenceOf } from '../errors.js';

/** Returns the flag of a setting. @param {string} setting name in Settings @returns {string} such as max-matches */
export const flagName = (setting) =>
  setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Returns the environment variable of a setting. @param {string} setting @returns {string} such as PITV_MAX_MATCHES */
export const variableName = (setting) =>
  `PITV_${flagName(setting).toUpperCase().replaceAll('-', '_')}`;

/** Options with a text, and options without a value. */
export const TEXT = Object.freeze({ type: /** @type {const} */ ('string') });
export const SWITCH = Object.freeze({ type: /** @type {const} */ ('boolean') });

/** @typedef {Record<string, {type: 'string' | 'boolean', short?: string}>} Options */

/**
 * Parses arguments with parseArgs(). Its errors become one sentence that refers to the command's help.
 * @param {string[]} args @param {Options} options without `help`, which is added
 * @param {string} usage the command, for the sentence
 * @param {[number, number]} [count] minimum and maximum number of operands; without it there are none
 * @returns {{values: Record<string, any>, operands: string[]}} @throws {PitvError} PITV_USAGE
 */
export function parseArguments(args, options, usage, count) {
  try {
    const { values, positionals: operands } = parseArgs({
      args,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: count !== undefined,
    });
    const [min, max] = count ?? [0, 0];
    if (!values.help && operands.length < min) throw usageError('An argument is missing.', usage);
    if (!values.help && operands.length > max) throw usageError('Too many arguments.', usage);
    return { values, operands };
  } catch (error) {
    const { code } = /** @type {{code?: string}} */ (error);
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error;
    throw usageError(firstSentenceOf(error), usage, error);
  }
}

/** Makes the error for a wrong usage. @param {string} sentence @param {string} command @param {unknown} [cause] */
export const usageError = (sentence, command, cause) =>
  new PitvError('PITV_USAGE', `${sentence} See ${command} --help.`, { cause });
