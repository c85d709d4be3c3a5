/** What the programs of image/ have in common: their options, their help, and how they end. */
import { parseArgs } from 'node:util';
import { PitvError, firstSentenceOf } from '../app/errors.js';

/** @typedef {NonNullable<import('node:util').ParseArgsConfig['options']>} Options */

/**
 * Runs a program to its end. What it throws becomes the exit status and a sentence; with what was wrong
 * about its use comes its help.
 * @template {Options} T
 * @param {string} help
 * @param {T} options as of parseArgs(); --help is always there as well
 * @param {(values: ReturnType<typeof parseArgs<{options: T}>>['values'], names: string[]) => Promise<void>} main
 *   names: what is no option
 * @param {string[]} [args]
 */
export async function program(help, options, main, args = process.argv.slice(2)) {
  try {
    const { values, positionals } = read(args, options);
    if (Reflect.get(values, 'help')) console.log(help);
    else await main(values, positionals);
  } catch (error) {
    const known = error instanceof PitvError;
    process.exitCode = known ? error.exitCode : 1;
    console.error(known ? error.message : (Reflect.get(Object(error), 'stack') ?? error));
    if (process.exitCode === 2) console.error(`\n${help}`);
  }
}

/** @template {Options} T @param {string[]} args @param {T} options */
function read(args, options) {
  const help = { type: /** @type {const} */ ('boolean'), short: 'h' };
  try {
    return parseArgs({ args, allowPositionals: true, options: { ...options, help } });
  } catch (cause) {
    throw usage(firstSentenceOf(cause), cause);
  }
}

/** @param {string} sentence @param {unknown} [cause] */
export const usage = (sentence, cause) => new PitvError('PITV_USAGE', sentence, { cause });

/**
 * @param {string[]} names what the command line has besides options: one at most
 * @param {string[]} choices
 * @param {string} otherwise when there is none
 * @returns {string} one of the choices
 * @throws {PitvError} PITV_USAGE
 */
export function choose(names, choices, otherwise) {
  const [name = otherwise, ...more] = names;
  if (!choices.includes(name)) throw usage(`"${name}" is none of ${choices.join(', ')}.`);
  if (more.length > 0) throw usage(`One of ${choices.join(', ')} at a time.`);
  return name;
}
