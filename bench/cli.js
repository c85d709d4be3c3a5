/** `pitv bench`: the harness's command line. A command is one file in commands/. */
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { firstSentenceOf } from '../app/errors.js';
import { usage } from './commands/common/usage.js';

/**
 * @typedef {object} Command
 * @property {string} help lines of the help text
 * @property {import('node:util').ParseArgsConfig['options']} [options]
 * @property {(values: any, positionals: string[]) => Promise<number>} run gives the exit status
 */

/** In the order in which somebody meets them. */
const ORDER = ['list', 'run', 'paper', 'compare', 'report', 'doctor'];
const folder = new URL('commands/', import.meta.url);
const COMMANDS = readdirSync(folder)
  .filter((file) => file.endsWith('.js'))
  .map((file) => file.slice(0, -'.js'.length))
  .sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));

/** @param {string} name @returns {Promise<Command>} */
const load = (name) => import(new URL(`${name}.js`, folder).href);

/**
 * @param {string[]} argv what follows `pitv bench`
 * @returns {Promise<number>} exit status: 0, or 1 when something could not be measured
 * @throws {import('../app/errors.js').PitvError} PITV_USAGE
 */
export async function main(argv) {
  const [name, ...rest] = argv;
  if (name === undefined || ['help', '-h', '--help'].includes(name)) return help();
  if (!COMMANDS.includes(name)) {
    throw usage(`There is no 'bench ${name}'; there is ${COMMANDS.join(', ')}.`);
  }
  const command = await load(name);
  const { values, positionals } = parse(rest, command.options);
  if (values.help) {
    process.stdout.write(command.help);
    return 0;
  }
  return command.run(values, positionals);
}

async function help() {
  for (const name of COMMANDS) process.stdout.write((await load(name)).help);
  return 0;
}

/** @param {string[]} args @param {Command['options']} [options] */
function parse(args, options = {}) {
  try {
    const all = { ...options, help: { type: /** @type {const} */ ('boolean'), short: 'h' } };
    return parseArgs({ args, options: all, allowPositionals: true });
  } catch (error) {
    throw usage(firstSentenceOf(error));
  }
}
