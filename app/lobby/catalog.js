/** The games of the TV, each with a hash of its version. */
import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadGames } from '../game/load-games.js';
import { checkOptions as checkFields, integer } from '../options.js';

const KERNEL = fileURLToPath(new URL('../game', import.meta.url));
export const GAMES = fileURLToPath(new URL('../games', import.meta.url));

/**
 * @typedef {import('../game/load-games.js').ListedGame & {hash: string}} Game hash: hex; changes with the game and
 *   with the kernel, so that checkpoints and pictures of other versions are not used
 */

/** @param {import('node:crypto').Hash} hash @param {string} folder */
async function hashFolder(hash, folder) {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  for (const file of files.filter((name) => name.endsWith('.js')).sort()) {
    hash.update(file).update(await readFile(join(folder, file)));
  }
}

/**
 * Loads all games.
 * @param {string} [folder] of the games
 * @returns {Promise<Game[]>}
 * @throws {import('../errors.js').PitvError} PITV_GAME_INVALID
 */
export async function loadCatalog(folder = GAMES) {
  const kernel = createHash('sha256');
  await hashFolder(kernel, KERNEL);
  const kernelHash = kernel.digest();
  return Promise.all(
    (await loadGames(folder)).map(async (game) => {
      const hash = createHash('sha256').update(kernelHash);
      hash.update(await readFile(fileURLToPath(game.url)));
      await hashFolder(hash, join(folder, game.id)); // the other files of a game are in a folder of its name
      return Object.freeze({ ...game, hash: hash.digest('hex') });
    }),
  );
}

/**
 * Checks the options of a match.
 * @param {Pick<Game, 'title' | 'options'>} game
 * @param {unknown} raw options of the game, and `seed` (uint32)
 * @returns {Record<string, number>}
 * @throws {import('../errors.js').PitvError} PITV_OPTION_INVALID
 */
export function checkOptions(game, raw) {
  const own = Object.entries(game.options).map(([name, { min, max }]) => [name, integer(min, max)]);
  const fields = { ...Object.fromEntries(own), seed: integer(0, 0xffffffff) };
  return checkFields(game.title, fields, raw ?? {});
}
