/** `pitv games`: installs, makes and packs games. Each file of games/ is a subcommand. */
import { runSubcommand } from './common/subcommands.js';

export const summary = 'install games of others, make a new one, pack it';

const GAMES = Object.freeze({
  name: 'games',
  folder: new URL('games/', import.meta.url),
  last: 'A running TV shows a change of its games within a second.',
});

/** @param {string[]} argv */
export const run = (argv) => runSubcommand(GAMES, argv);
