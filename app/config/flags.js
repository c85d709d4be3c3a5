/** Parses the flags of a command, and derives the names of flags and environment variables from settings. */
import { parseArgs } from 'node:util';
import { PitvError, firstSentenceOf } from '../errors.js';

/**
 * Returns the flag of a setting.
 * @param {string} setting name in Settings @returns {string} maxMatches -> max-matches
 */
export const flagName = (setting) =>
  setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * Returns the environment variable of a setting.
 * @param {string} setting name in Settings
 * @returns {string} maxMatches -> PITV_MAX_MATCHES
 */
export const variableName = (setting) =>
  `PITV_${flagName(setting).toUpperCase().replaceAll('-', '_')}`;

/**
 * Parses flags with parseArgs(). Its errors become one sentence that refers to the command's help.
 * @param {string[]} argv
 * @param {Record<string, {type: 'string' | 'boolean'}>} options without `help`, which is added
 * @param {string} usage the command, for the sentence
 * @returns {Record<string, string | boolean | undefined>}
 * @throws {PitvError} PITV_USAGE
 */
export function parseFlags(argv, options, usage) {
  try {
    const { values } = parseArgs({
      args: argv,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      strict: true,
      allowPositionals: false,
    });
    return values;
  } catch (error) {
    const { code } = /** @type {{code?: string}} */ (error);
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error;
    const sentence = `${firstSentenceOf(error)} See ${usage} --help.`;
    throw new PitvError('PITV_USAGE', sentence, { cause: error });
  }
}
