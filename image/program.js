/** Common options, help and exit status of the programs in image/. */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PitvError, firstSentenceOf, messageOf } from '../app/errors.js';

/** @typedef {NonNullable<import('node:util').ParseArgsConfig['options']>} Options */

/**
 * Runs a program, unless its module was only imported. An error is printed and sets the exit status; a usage error also
 * prints the help.
 * @template {Options} T
 * @param {ImportMeta} meta of its module
 * @param {string} help
 * @param {T} options as for parseArgs(), without --help
 * @param {(values: ReturnType<typeof parseArgs<{options: T}>>['values'], names: string[]) => Promise<void>} main
 *   names: the arguments that are not options
 * @param {string[]} [args]
 */
export async function program(meta, help, options, main, args = process.argv.slice(2)) {
  if (process.argv[1] !== fileURLToPath(meta.url)) return;
  try {
    const { values, positionals } = parse(args, options);
    if (Reflect.get(values, 'help')) console.log(help);
    else await main(values, positionals);
  } catch (error) {
    process.exitCode = error instanceof PitvError ? error.exitCode : 1;
    // The system's errors name the file, such as a folder in which this user may not write.
    const isClear = error instanceof PitvError || Reflect.has(Object(error), 'syscall');
    console.error(isClear ? messageOf(error) : (Reflect.get(Object(error), 'stack') ?? error));
    if (process.exitCode === 2) console.error(`\n${help}`);
  }
}

/** Parses the arguments. @template {Options} T @param {string[]} args @param {T} options */
function parse(args, options) {
  const help = { type: /** @type {const} */ ('boolean'), short: 'h' };
  try {
    return parseArgs({ args, allowPositionals: true, options: { ...options, help } });
  } catch (cause) {
    throw usage(firstSentenceOf(cause), cause);
  }
}

/** Creates a usage error. @param {string} sentence @param {unknown} [cause] */
export const usage = (sentence, cause) => new PitvError('PITV_USAGE', sentence, { cause });

/**
 * Returns the argument that must be one of several choices.
 * @param {string[]} names the arguments that are not options, one at most
 * @param {string[]} choices
 * @param {string} otherwise the result without an argument
 * @returns {string} one of the choices
 * @throws {PitvError} PITV_USAGE
 */
export function choose(names, choices, otherwise) {
  const [name = otherwise, ...more] = names;
  if (!choices.includes(name)) throw usage(`"${name}" is not one of ${choices.join(', ')}.`);
  if (more.length > 0) throw usage(`Use only one of ${choices.join(', ')}.`);
  return name;
}
