/** `pitv games`: installs, makes and packs games. Each file of games/ is a subcommand. */
import { helpText, sentenceText } from '../language/index.js';
import { readdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { PitvError, firstSentenceOf } from '../errors.js';

export const summary = 'install games of others, make a new one, pack it';

/**
 * @typedef {object} Subcommand
 * @property {string} help its usage and options
 * @property {Record<string, {type: 'string' | 'boolean'}>} options without `help`
 * @property {[number, number]} operands minimum and maximum number of arguments
 * @property {(values: Record<string, any>, operands: string[]) => Promise<number | void>} run resolves to the exit
 *   status, 0 by default
 */

const FOLDER = new URL('games/', import.meta.url);

/** @returns {Promise<string[]>} */
async function subcommandNames() {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.js'));
  return files.map((file) => file.slice(0, -'.js'.length)).sort();
}

/** @param {string} name @returns {Promise<Subcommand>} */
const load = (name) => import(new URL(`${name}.js`, FOLDER).href);

/** @param {string} sentence @param {string} [name] of the subcommand @param {unknown} [cause] */
const usageError = (sentence, name, cause) =>
  new PitvError('PITV_USAGE', `${sentence} See pitv games ${name ? `${name} ` : ''}--help.`, {
    cause,
  });

/** @param {string[]} argv */
export async function run(argv) {
  const [name = '--help', ...rest] = argv;
  const names = await subcommandNames();
  if (name === '--help' || name === '-h') {
    process.stdout.write(await allHelps(names));
    return 0;
  }
  if (!names.includes(name)) {
    throw usageError(`There is no command "games ${name.slice(0, 40)}".`);
  }
  const subcommand = await load(name);
  const { values, positionals } = parse(name, subcommand, rest);
  if (values.help) {
    process.stdout.write(helpText(`games ${name}`, subcommand.help));
    return 0;
  }
  const [min, max] = subcommand.operands;
  if (positionals.length < min || positionals.length > max) {
    const sentence = positionals.length < min ? 'An argument is missing.' : 'Too many arguments.';
    throw usageError(sentence, name);
  }
  return subcommand.run(values, positionals);
}

/** @param {string[]} names */
async function allHelps(names) {
  const helps = await Promise.all(
    names.map(async (name) => helpText(`games ${name}`, (await load(name)).help)),
  );
  const last = sentenceText('A running TV shows a change of its games within a second.');
  return `${helps.join('\n')}\n${last}\n`;
}

/** @param {string} name @param {Subcommand} subcommand @param {string[]} args */
function parse(name, { options }, args) {
  try {
    return parseArgs({
      args,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
  } catch (error) {
    const { code } = /** @type {{code?: string}} */ (error);
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error;
    throw usageError(firstSentenceOf(error), name, error);
  }
}
