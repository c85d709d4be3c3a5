/** Loads the games of a folder. Each .js file is one game, named after its file. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PitvError, messageOf } from '../errors.js';
import { placeOf } from '../errors/place.js';
import { checkDescription, invalidGame } from './check-game.js';

/**
 * @typedef {import('./define.js').Game & {url: string}} ListedGame url: of the module, for the
 *   worker that loads it
 */

/** Lists the files of a folder that are games, sorted. @param {string} directory @returns {Promise<string[]>} paths */
export async function listGameFiles(directory) {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.js')).sort();
  return files.map((name) => join(directory, name));
}

/**
 * Sorts games by id, those without players last.
 * @param {Pick<ListedGame, 'id' | 'players'>} p @param {Pick<ListedGame, 'id' | 'players'>} q
 */
export const compareGames = (p, q) =>
  Number(p.players.max === 0) - Number(q.players.max === 0) || (p.id < q.id ? -1 : 1);

/**
 * Imports a game.
 * @param {string} path
 * @param {string} [id] the id that the game must have, by default the name of its file
 * @returns {Promise<ListedGame>}
 * @throws {PitvError} PITV_GAME_INVALID if the file does not export a game with this id
 */
export async function loadGame(path, id = basename(path, '.js')) {
  const url = pathToFileURL(path).href;
  let game;
  try {
    ({ default: game } = await import(url));
  } catch (cause) {
    const name = cause instanceof Error && !(cause instanceof PitvError) ? `${cause.name}: ` : '';
    const place = placeOf(cause, url);
    const sentence = `${path} cannot be loaded: ${name}${messageOf(cause)}${place ? ` (${place})` : ''}`;
    throw invalidGame(sentence, cause);
  }
  if (
    game?.id !== id ||
    typeof game.start !== 'function' ||
    typeof game.dimensions !== 'function'
  ) {
    const sentence = `The default export of ${path} must be the result of defineGame() with the id "${id}".`;
    throw invalidGame(sentence);
  }
  try {
    checkDescription(game);
  } catch (cause) {
    throw invalidGame(`${path}: ${messageOf(cause)}`, cause);
  }
  return Object.freeze({ ...game, url });
}
