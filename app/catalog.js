/** The games as the TV knows them: what each file defines, and which version of it that is. */
import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PitvError } from './errors.js';
import { loadGames } from './game/catalog.js';

const KERNEL = fileURLToPath(new URL('./game', import.meta.url));
export const GAMES = fileURLToPath(new URL('./games', import.meta.url));

/**
 * @typedef {import('./game/catalog.js').ListedGame & {hash: string}} Game hash: hex; another one
 *   after any change of the game or of the kernel, so that a checkpoint or a picture of another
 *   version is never taken for one of this
 */

/** @param {import('node:crypto').Hash} hash @param {string} folder */
async function hashFolder(hash, folder) {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  for (const file of files.filter((name) => name.endsWith('.js')).sort()) {
    hash.update(file).update(await readFile(join(folder, file)));
  }
}

/**
 * @param {string} [folder] where the games are
 * @returns {Promise<Game[]>}
 * @throws {PitvError} PITV_GAME_INVALID
 */
export async function loadCatalog(folder = GAMES) {
  const kernel = createHash('sha256');
  await hashFolder(kernel, KERNEL);
  const kernelHash = kernel.digest();
  return Promise.all(
    (await loadGames(folder)).map(async (game) => {
      const hash = createHash('sha256').update(kernelHash);
      hash.update(await readFile(fileURLToPath(game.url)));
      await hashFolder(hash, join(folder, game.id)); // a game's parts lie in a folder of its name
      return Object.freeze({ ...game, hash: hash.digest('hex') });
    }),
  );
}

/**
 * @param {Pick<Game, 'title' | 'options'>} game
 * @param {unknown} raw what somebody asked for: the game's own options, and `seed` (uint32)
 * @returns {Record<string, number>}
 * @throws {PitvError} PITV_OPTION_INVALID
 */
export function checkOptions(game, raw) {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== 'object' || Array.isArray(raw)) {
    throw new PitvError('PITV_OPTION_INVALID', 'options must be an object.');
  }
  /** @type {Record<string, {min: number, max: number}>} */
  const known = { ...game.options, seed: { min: 0, max: 0xffffffff } };
  /** @type {Record<string, number>} */
  const options = {};
  for (const [name, value] of Object.entries(raw)) {
    const range = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!range) {
      throw new PitvError(
        'PITV_OPTION_INVALID',
        `${game.title} has no option "${name.slice(0, 40)}".`,
      );
    }
    if (!Number.isInteger(value) || value < range.min || value > range.max) {
      throw new PitvError(
        'PITV_OPTION_INVALID',
        `${name} must be a whole number from ${range.min} to ${range.max}.`,
      );
    }
    options[name] = value;
  }
  return options;
}
