/**
 * Runs a command. Each file of this folder is a command. It exports `summary`, and `run(argv)`, or `help`, `options`
 * and `run(values, operands)`, or the `folder` of its subcommands. An error that a command throws becomes one line on
 * stderr and the exit status: 1 for a failure, 2 for wrong usage.
 */
import { readdir } from 'node:fs/promises';
import { parseArguments, usageError } from '../config/flags.js';
import { PitvError, messageOf } from '../errors.js';
import { errorText } from '../language/index.js';
import { codeOf, reasonOf } from '../storage/reason.js';
import { print, printError } from './common/output.js';

/**
 * @typedef {object} Command
 * @property {string} summary one line for `pitv help`
 * @property {(argv: string[]) => Promise<number | void>} run gets the arguments after the command's name; resolves to
 *   the exit status, 0 by default
 *
 * @typedef {object} Declared
 * @property {string} help its usage and options
 * @property {import('../config/flags.js').Options} [options] without `help`
 * @property {[number, number]} [operands] minimum and maximum number of arguments
 * @property {(values: Record<string, any>, operands: string[]) => Promise<number | void>} run
 */

/** Lists the modules in a folder. @param {URL} folder @returns {Promise<string[]>} their names, sorted */
async function modulesIn(folder) {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.js'));
  return files.map((file) => file.slice(0, -'.js'.length)).sort();
}

/** Lists the names of all commands. @returns {Promise<string[]>} sorted */
export async function commandNames() {
  return (await modulesIn(new URL('.', import.meta.url))).filter((name) => name !== 'index');
}

/** Loads a command. @param {string} name one of commandNames() @returns {Promise<Command>} */
export async function loadCommand(name) {
  const module = await import(new URL(`./${name}.js`, import.meta.url).href);
  if (!module.options && !module.folder) return module;
  const { summary, folder } = module;
  const run = (/** @type {string[]} */ argv) =>
    folder ? runSubcommand({ name, ...module }, argv) : runDeclared(`pitv ${name}`, module, argv);
  return { summary, run };
}

/**
 * Runs a command, or prints its help.
 * @param {string} usage such as `pitv games add` @param {Declared} command @param {string[]} argv
 * @returns {Promise<number | void>} the exit status
 * @throws {PitvError} PITV_USAGE, and what the command throws
 */
async function runDeclared(usage, { help, options = {}, operands: count, run }, argv) {
  const { values, operands } = parseArguments(argv, options, usage, count);
  if (!values.help) return run(values, operands);
  print(help);
}

/**
 * Runs a subcommand, or prints the help of all.
 * @param {{name: string, folder: URL, last?: string}} command folder: of the subcommands; last: sentence at the end of
 *   the help
 * @param {string[]} argv @returns {Promise<number | void>} the exit status
 * @throws {PitvError} PITV_USAGE, and what the subcommand throws
 */
export async function runSubcommand({ name: command, folder, last }, argv) {
  const [name = '--help', ...rest] = argv;
  const names = await modulesIn(folder);
  /** @param {string} each @returns {Promise<Declared>} */
  const load = (each) => import(new URL(`${each}.js`, folder).href);
  if (name === '--help' || name === '-h') {
    const helps = await Promise.all(names.map(async (each) => (await load(each)).help));
    print(helps.join('\n') + (last ? `\n${last}\n` : ''));
    return 0;
  }
  const usage = `pitv ${command}`;
  if (!names.includes(name)) {
    throw usageError(`There is no command "${command} ${name.slice(0, 40)}".`, usage);
  }
  return runDeclared(`${usage} ${name}`, await load(name), rest);
}

/** Options that stand for a command. @type {Record<string, string>} */
const SHORT = { '--help': 'help', '-h': 'help', '--version': 'version', '-v': 'version' };

/** @param {string[]} argv @returns {Promise<number>} the exit status @throws {PitvError} */
export async function dispatch(argv) {
  const [first = 'help', ...rest] = argv;
  const name = Object.hasOwn(SHORT, first) ? SHORT[first] : first;
  const names = await commandNames();
  if (!names.includes(name)) {
    const sentence = `There is no command "${name.slice(0, 40)}". Commands: ${names.join(', ')}.`;
    throw new PitvError('PITV_USAGE', sentence);
  }
  return (await (await loadCommand(name)).run(rest)) ?? 0;
}

/** Node's words for a package that is not installed; the name is the first part. */
const NOT_FOUND = /^Cannot find (?:package|module) '((?:@[^/']+\/)?[^./'][^/']*)/;

/** Returns an error that tells what to do if a package is not installed. @param {any} error */
function missingDependency(error) {
  if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(error?.code)) return undefined;
  const [, name] = NOT_FOUND.exec(error.message) ?? [];
  if (!name) return undefined;
  const sentence = `The npm package "${name}" is not installed. Run \`npm ci\` in the folder of pitv, or \`make run\`.`;
  return new PitvError('PITV_DEPENDENCY_MISSING', sentence, { cause: error });
}

/** Runs a command and sets the exit status. Never rejects. @param {string[]} argv the arguments after `pitv` */
export async function main(argv) {
  process.stderr.on('error', () => {});
  let isLost = false;
  process.stdout.on('error', (cause) => {
    // The reader of a pipe may have ended (`pitv serve | head`). The command keeps running.
    if (isLost || codeOf(cause) === 'EPIPE') return;
    isLost = true;
    const sentence = `The output cannot be written: ${reasonOf(cause)}.`;
    process.exitCode = report(new PitvError('PITV_FILE_UNWRITABLE', sentence, { cause }));
  });
  const status = await dispatch(argv).catch((error) => report(missingDependency(error) ?? error));
  process.exitCode = status || Number(isLost);
}

/** Prints an error. @param {unknown} error @returns {number} the exit status */
function report(error) {
  const expected = error instanceof PitvError;
  const stack = error instanceof Error ? error.stack : messageOf(error);
  printError(`pitv: ${expected ? errorText(error) : stack}\n`);
  return expected ? error.exitCode : 1;
}
