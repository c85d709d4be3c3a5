/** Runs commands that declare their options, and the subcommands of a command. Each file of its folder is one. */
import { readdir } from 'node:fs/promises';
import { parseArguments, usageError } from '../../config/flags.js';
import { print } from './output.js';

/**
 * @typedef {object} Declared
 * @property {string | (() => Promise<string>)} help its usage and options
 * @property {import('../../config/flags.js').Options} [options] without `help`
 * @property {[number, number]} [operands] minimum and maximum number of arguments
 * @property {(values: Record<string, any>, operands: string[]) => Promise<number | void>} run resolves to the exit
 *   status, 0 by default
 *
 * @typedef {object} Command
 * @property {string} name
 * @property {URL} folder of the subcommands
 * @property {string} [last] sentence at the end of the help
 */

/**
 * Runs a command, or prints its help.
 * @param {string} usage such as `pitv games add` @param {Declared} command @param {string[]} argv
 * @returns {Promise<number | void>} the exit status
 * @throws {import('../../errors.js').PitvError} PITV_USAGE, and what the command throws
 */
export async function runDeclared(usage, { help, options = {}, operands: count, run }, argv) {
  const { values, operands } = parseArguments(argv, options, usage, count);
  if (!values.help) return run(values, operands);
  print(typeof help === 'string' ? help : await help());
}

/**
 * Runs a subcommand, or prints the help of all.
 * @param {Command} command @param {string[]} argv @returns {Promise<number | void>} the exit status
 * @throws {import('../../errors.js').PitvError} PITV_USAGE, and what the subcommand throws
 */
export async function runSubcommand(command, argv) {
  const [name = '--help', ...rest] = argv;
  const names = await modulesIn(command.folder);
  if (name === '--help' || name === '-h') {
    print(await allHelps(command, names));
    return 0;
  }
  const usage = `pitv ${command.name}`;
  if (!names.includes(name)) {
    throw usageError(`There is no command "${command.name} ${name.slice(0, 40)}".`, usage);
  }
  return runDeclared(`${usage} ${name}`, await load(command, name), rest);
}

/** Lists the modules in a folder. @param {URL} folder @returns {Promise<string[]>} their names, sorted */
export async function modulesIn(folder) {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.js'));
  return files.map((file) => file.slice(0, -'.js'.length)).sort();
}

/** @param {Command} command @param {string} name @returns {Promise<Declared>} */
const load = ({ folder }, name) => import(new URL(`${name}.js`, folder).href);

/** @param {Command} command @param {string[]} names */
async function allHelps(command, names) {
  const helps = await Promise.all(names.map(async (name) => (await load(command, name)).help));
  const last = command.last ? `\n${command.last}\n` : '';
  return `${helps.join('\n')}${last}`;
}
