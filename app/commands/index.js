/**
 * The command line: finds the command's file in this folder, runs it, and turns what it throws
 * into one line on stderr and an exit status (0 well, 1 failed, 2 bad usage). Adding a command is
 * one file here that exports `summary` and `run(argv)`.
 */
import { readdir } from 'node:fs/promises';
import { PitvError, messageOf } from '../errors.js';

/**
 * @typedef {object} Command
 * @property {string} summary one line for `pitv help`
 * @property {(argv: string[]) => Promise<number | void>} run argv without the command's own name;
 *   resolves with the exit status, default 0
 */

/** @returns {Promise<string[]>} the names of all commands, sorted */
export async function commandNames() {
  const files = await readdir(new URL('.', import.meta.url));
  return files
    .filter((file) => file.endsWith('.js') && file !== 'index.js')
    .map((file) => file.slice(0, -'.js'.length))
    .sort();
}

/** @param {string} name @returns {Promise<Command>} */
export function loadCommand(name) {
  return import(new URL(`./${name}.js`, import.meta.url).href);
}

/** @param {string[]} argv */
async function dispatch(argv) {
  const [first = 'help', ...rest] = argv;
  const name =
    first === '--help' || first === '-h'
      ? 'help'
      : first === '--version' || first === '-v'
        ? 'version'
        : first;
  const names = await commandNames();
  if (!names.includes(name)) {
    throw new PitvError(
      'PITV_USAGE',
      `There is no command "${name.slice(0, 40)}". Commands: ${names.join(', ')}.`,
    );
  }
  const command = await loadCommand(name);
  return (await command.run(rest)) ?? 0;
}

/**
 * Runs one command and sets the process's exit status. Never throws.
 * @param {string[]} argv what follows `pitv`
 */
export async function main(argv) {
  // Whoever read our output may have gone (`pitv serve | head`); that is no reason to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    process.exitCode = await dispatch(argv);
  } catch (error) {
    const expected = error instanceof PitvError;
    const text = expected || !(error instanceof Error) ? messageOf(error) : error.stack;
    process.stderr.write(`pitv: ${text}\n`);
    process.exitCode = expected ? error.exitCode : 1;
  }
}
