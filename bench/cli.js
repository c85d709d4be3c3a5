/** Runs `pitv bench`. A command is one file in commands/. */
import { parseArguments } from '../app/config/flags.js';
import { usage } from './commands/common/usage.js';

/**
 * @typedef {object} Command
 * @property {string} help lines of the help text
 * @property {import('../app/config/flags.js').Options} [options]
 * @property {(values: any, operands: string[], argv: string[]) => Promise<number>} run
 *   argv: the words of the whole command, without `pitv`; returns the exit status
 */

/** In the order of the help text. */
const COMMANDS = ['list', 'run', 'paper', 'compare', 'publish', 'doctor'];

/** @param {string} name @returns {Promise<Command>} */
const load = (name) => import(new URL(`commands/${name}.js`, import.meta.url).href);

/**
 * Runs a command.
 * @param {string[]} argv what follows `pitv bench`
 * @returns {Promise<number>} exit status: 0, or 1 when a measurement or a check failed
 * @throws {import('../app/errors.js').PitvError} PITV_USAGE
 */
export async function main(argv) {
  const [name, ...rest] = argv;
  if (name === undefined || ['help', '-h', '--help'].includes(name)) return help();
  if (!COMMANDS.includes(name)) {
    throw usage(`There is no 'bench ${name}'. Commands: ${COMMANDS.join(', ')}.`);
  }
  const { help: text, options = {}, run } = await load(name);
  const { values, operands } = parseArguments(rest, options, 'pitv bench', [0, Infinity]);
  if (!values.help) return run(values, operands, ['bench', ...argv]);
  process.stdout.write(text);
  return 0;
}

async function help() {
  for (const name of COMMANDS) {
    process.stdout.write((await load(name)).help);
  }
  return 0;
}
