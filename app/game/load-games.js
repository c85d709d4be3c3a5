/** The list of games is a folder: each .js file in it is one game, by its file's name. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PitvError } from '../errors.js';

/**
 * @typedef {import('./define.js').Game & {url: string}} ListedGame with the address of its module,
 *   which a worker can load
 */

/**
 * @param {string} directory path of the folder
 * @returns {Promise<ListedGame[]>} those that people play first, then by name
 * @throws {PitvError} PITV_GAME_INVALID when a file there is not the game it is called after
 */
export async function loadGames(directory) {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.js'));
  const games = await Promise.all(files.map((name) => loadGame(join(directory, name))));
  return games.sort(
    (p, q) => Number(p.players.max === 0) - Number(q.players.max === 0) || (p.id < q.id ? -1 : 1),
  );
}

/** @param {string} path @returns {Promise<ListedGame>} */
async function loadGame(path) {
  const url = pathToFileURL(path).href;
  const id = basename(path, '.js');
  let game;
  try {
    ({ default: game } = await import(url));
  } catch (cause) {
    throw new PitvError('PITV_GAME_INVALID', `The game in ${path} does not load.`, { cause });
  }
  if (game?.id !== id || typeof game.start !== 'function') {
    throw new PitvError(
      'PITV_GAME_INVALID',
      `${path} must export by default what defineGame() gives for the id "${id}".`,
    );
  }
  return Object.freeze({ ...game, url });
}
