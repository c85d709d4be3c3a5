/** Checks the commands in code blocks and backticks: `pitv ...`, `make ...`, `node FILE ...`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { commandNames } from '../../app/commands/index.js';
import { runCommands } from '../support/cli.js';
import { BLOCKS, PAGES, ROOT, exists, placeOf } from './pages.js';

/** Languages of code blocks that hold commands; null is an indented block. */
const SHELL = [null, 'sh', 'console'];
/** The first words of commands that are checked. */
const PROGRAMS = ['pitv', 'make', 'node'];

/**
 * @typedef {object} Command
 * @property {string} place
 * @property {string} program one of PROGRAMS
 * @property {string[]} words that follow it
 */

/** @param {string} line of a shell @returns {string[]} its words; quotes hold words together */
const wordsOf = (line) =>
  (line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) => word.replace(/["']/g, ''));

/** A comment, or a description after the command, in a column of its own. */
const REMARK = /(?<=^|\s)#.*$|(?<=\S)\s{2,}\S.*$/gm;

/** @param {string} text @param {string} place @returns {Command[]} */
function commandsOf(text, place) {
  return text
    .replace(/\\\n\s*/g, '')
    .replace(REMARK, '')
    .split(/\n|&&|\||;/)
    .flatMap((line) => {
      const words = wordsOf(line.replace(/^\s*\$ /, ''));
      while (/^(sudo|npx|exec|\w+=.*)$/.test(words[0] ?? '')) words.shift();
      const [program, ...rest] = words;
      return PROGRAMS.includes(program) && rest.length > 0 ? [{ place, program, words: rest }] : [];
    });
}

/** @type {Command[]} */
const commands = PAGES.flatMap((page) =>
  page.nodes.flatMap((node) => {
    const shell = node.type === 'code' && SHELL.includes(node.lang ?? null);
    return shell || node.type === 'inlineCode'
      ? commandsOf(node.value ?? '', placeOf(page, node))
      : [];
  }),
);

/** @param {string} program */
const commandsWith = (program) => commands.filter((command) => command.program === program);

test('there are commands with each program', () => {
  for (const program of PROGRAMS) assert.ok(commandsWith(program).length > 10, program);
});

const names = await commandNames();
/** What `--help` of each command prints. */
const helps = (await runCommands(names.map((name) => [name, '--help']))).map((each) => each.stdout);

/** Words in capital letters, in <>, with * or ... stand for something. @param {string} word */
const isPlaceholder = (word) => /^[A-Z_[\]-]+$|[<>*…]|\.\.\./.test(word);

/** @param {string} help @param {string} word */
const mentions = (help, word) => new RegExp(`(^|[\\s\`,|])${word}(?![\\w-])`, 'm').test(help);

/** Commands with subcommands. */
const GROUPS = ['bench', 'fleet', 'games', 'ksm'];

/** @param {string[]} words what follows `pitv` @returns {string | undefined} what is wrong */
function problemOf([name, ...rest]) {
  if (isPlaceholder(name) || name === '--help' || name === '--version') return undefined;
  if (!names.includes(name)) return `there is no command "${name}"`;
  const help = helps[names.indexOf(name)];
  for (const word of rest) {
    const option = /^--?[a-z][\w-]*/.exec(word)?.[0];
    if (option && option !== '--help' && !mentions(help, option)) return `no option ${option}`;
  }
  const [first = '-', ...more] = rest;
  if (!GROUPS.includes(name) || first.startsWith('-') || isPlaceholder(first)) return undefined;
  if (!mentions(help, name === 'bench' ? `pitv bench ${first}` : first)) return `no "${first}"`;
  if (name !== 'bench' || first !== 'run') return undefined;
  const end = more.findIndex((word) => word.startsWith('-'));
  const unknown = more
    .slice(0, end < 0 ? undefined : end)
    .find((word) => !isPlaceholder(word) && !exists(`bench/scenarios/${word}`));
  return unknown && `there is no scenario "${unknown}"`;
}

test('every `pitv` command exists, and so do its options', () => {
  const wrong = commandsWith('pitv').flatMap(({ place, words }) => {
    const problem = problemOf(words);
    return problem ? [`${place}: pitv ${words.join(' ')}: ${problem}`] : [];
  });
  assert.deepEqual(wrong, []);
});

test('every target of `make` exists, and so do its variables', () => {
  const wrong = commandsWith('make').flatMap(({ place, words }) => {
    const folder = words[0] === '-C' ? words.splice(0, 2)[1] : '.';
    const makefile = readFileSync(join(ROOT, folder, 'Makefile'), 'utf8');
    return words
      .filter((word) => !isPlaceholder(word))
      .filter((word) => {
        const variable = /^\[?([A-Z]+)=/.exec(word)?.[1];
        return !new RegExp(variable ? `\\b${variable}\\b` : `^${word}:`, 'm').test(makefile);
      })
      .map((word) => `${place}: make ${words.join(' ')}: ${word}`);
  });
  assert.deepEqual(wrong, []);
});

test('every file of `node FILE` exists', () => {
  const wrong = commandsWith('node').flatMap(({ place, words }) => {
    const file = words.find((word) => !word.startsWith('-'));
    const [page] = place.split(':');
    const folder = dirname(page);
    const known =
      file === undefined ||
      isPlaceholder(file) ||
      exists(file) ||
      exists(join(folder, file)) ||
      BLOCKS.some((block) => block.page === page && block.file === file);
    return known ? [] : [`${place}: node ${words.join(' ')}`];
  });
  assert.deepEqual(wrong, []);
});
