/** Runs the subcommands of a command. Each file of its folder is one. */
import { readdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { PitvError, firstSentenceOf } from '../../errors.js';
import { print } from './output.js';

/**
 * @typedef {object} Subcommand
 * @property {string} help its usage and options
 * @property {Record<string, {type: 'string' | 'boolean', multiple?: boolean}>} options without `help`
 * @property {[number, number]} operands minimum and maximum number of arguments
 * @property {(values: Record<string, any>, operands: string[]) => Promise<number | void>} run resolves to the exit
 *   status, 0 by default
 *
 * @typedef {object} Command
 * @property {string} name
 * @property {URL} folder of the subcommands
 * @property {string} [last] sentence at the end of the help
 */

/**
 * Runs a subcommand, or prints the help of all.
 * @param {Command} command @param {string[]} argv
 * @returns {Promise<number | void>} the exit status
 * @throws {PitvError} PITV_USAGE, and what the subcommand throws
 */
export async function runSubcommand(command, argv) {
  const [name = '--help', ...rest] = argv;
  const names = await subcommandNames(command);
  if (name === '--help' || name === '-h') {
    print(await allHelps(command, names));
    return 0;
  }
  if (!names.includes(name)) {
    const sentence = `There is no command "${command.name} ${name.slice(0, 40)}".`;
    throw usageError(command, sentence);
  }
  const subcommand = await load(command, name);
  const { values, positionals } = parse(command, name, subcommand, rest);
  if (values.help) {
    print(subcommand.help);
    return 0;
  }
  const [min, max] = subcommand.operands;
  if (positionals.length < min || positionals.length > max) {
    const sentence = positionals.length < min ? 'An argument is missing.' : 'Too many arguments.';
    throw usageError(command, sentence, name);
  }
  return subcommand.run(values, positionals);
}

/** @param {Command} command @returns {Promise<string[]>} */
async function subcommandNames({ folder }) {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.js'));
  return files.map((file) => file.slice(0, -'.js'.length)).sort();
}

/** @param {Command} command @param {string} name @returns {Promise<Subcommand>} */
const load = ({ folder }, name) => import(new URL(`${name}.js`, folder).href);

/**
 * @param {Command} command @param {string} sentence @param {string} [name] of the subcommand @param {unknown} [cause]
 */
const usageError = (command, sentence, name, cause) =>
  new PitvError(
    'PITV_USAGE',
    `${sentence} See pitv ${command.name} ${name ? `${name} ` : ''}--help.`,
    { cause },
  );

/** @param {Command} command @param {string[]} names */
async function allHelps(command, names) {
  const helps = await Promise.all(names.map(async (name) => (await load(command, name)).help));
  const last = command.last ? `\n${command.last}\n` : '';
  return `${helps.join('\n')}${last}`;
}

/** @param {Command} command @param {string} name @param {Subcommand} subcommand @param {string[]} args */
function parse(command, name, { options }, args) {
  try {
    return parseArgs({
      args,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
  } catch (error) {
    const { code } = /** @type {{code?: string}} */ (error);
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error;
    throw usageError(command, firstSentenceOf(error), name, error);
  }
}
