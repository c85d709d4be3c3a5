/** The games of the TV, each with a hash of its version. */
import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compareGames, listGameFiles, loadGame } from '../game/load-games.js';
import { checkOptions as checkFields, integer } from '../options.js';
import { readForeignGames } from './foreign-games.js';

const KERNEL = fileURLToPath(new URL('../game', import.meta.url));
/** Folder of the games that come with pitv. Those in a folder with a manifest are packages, see bundled.js. */
export const BUNDLED = fileURLToPath(new URL('../games', import.meta.url));

/** The games of pitv itself, in BUNDLED. The main thread imports them; it imports no other game. */
export const OWN_GAMES = Object.freeze(['bumper', 'collide', 'swarm']);

/**
 * @typedef {import('../errors.js').PitvError} PitvError
 *
 * @typedef {import('../game/load-games.js').ListedGame & {hash: string,
 *   lock?: import('../engine/lock.js').Lock, folder?: string,
 *   prepare?: import('./foreign-games.js').ForeignGame['prepare'],
 *   package?: import('./packages.js').Installed, elsewhere?: boolean}} Game hash: hex; changes with the game
 *   and with the kernel, so that checkpoints and pictures of other versions are not used. lock and prepare: of a
 *   foreign game, which has no start(); its workers are locked, and prepare() is called before sizes(). folder and
 *   package: of an installed game. elsewhere: only other nodes of a fleet have the game, so that no match of it runs
 *   here
 *
 * @typedef {'off' | 'locked' | 'open'} UntrustedGames what happens to games of others: they are left out, run locked or
 *   not at all, or run as locked as the machine and the engine can
 *
 * @typedef {{id: string, problem: string}} BrokenGame problem: a sentence that names file and reason
 */

/** @param {import('node:crypto').Hash} hash @param {string} folder */
async function hashFolder(hash, folder) {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = names.filter((name) => name.endsWith('.js')).sort();
  const contents = await Promise.all(files.map((file) => readFile(join(folder, file))));
  for (const [i, file] of files.entries()) hash.update(file).update(contents[i]);
}

/** Computes the part of a game's hash that changes with the kernel. @returns {Promise<Buffer>} */
export async function hashKernel() {
  const hash = createHash('sha256');
  await hashFolder(hash, KERNEL);
  return hash.digest();
}

/**
 * Loads all games of a folder. A game that cannot be loaded is left out.
 * @param {string} [folder] of the games
 * @param {(broken: BrokenGame) => void} [onBroken] is called for each game that is left out. Without it, such a game is
 *   an error
 * @param {UntrustedGames} [untrusted] @throws {PitvError} PITV_GAME_INVALID; PITV_LOCK_UNSUPPORTED
 */
export async function loadCatalog(folder = BUNDLED, onBroken, untrusted = 'locked') {
  const kernelRead = hashKernel(); // while the games are imported
  kernelRead.catch(() => {}); // awaited below
  const files = await listGameFiles(folder);
  const isOwn = (/** @type {string} */ path) =>
    folder === BUNDLED && OWN_GAMES.includes(basename(path, '.js'));
  const own = files.filter(isOwn);
  const others = untrusted === 'off' ? [] : files.filter((path) => !isOwn(path));
  const foreign = others.map((path) => ({ path }));
  const paths = [...own, ...others];
  const asResult = (/** @type {Error} */ error) => error;
  const results = [
    ...(await Promise.all(own.map((path) => loadGame(path).catch(asResult)))),
    ...(await readForeignGames(foreign, untrusted)),
  ];
  const kernelHash = await kernelRead;
  const listed = await Promise.all(
    results.map(async (game, i) => {
      const id = basename(paths[i], '.js');
      if (game instanceof Error) {
        if (!onBroken) throw game;
        onBroken({ id, problem: game.message });
        return [];
      }
      const hash = createHash('sha256')
        .update(kernelHash)
        .update(await readFile(paths[i]));
      await hashFolder(hash, join(folder, id)); // the other files of a game are in a folder of its name
      return [/** @type {Game} */ (Object.freeze({ ...game, hash: hash.digest('hex') }))];
    }),
  );
  return listed.flat().sort(compareGames);
}

/**
 * Checks the options of a match.
 * @param {Pick<Game, 'title' | 'options'>} game @param {unknown} raw options of the game, and `seed` (uint32)
 * @returns {Record<string, number>} @throws {import('../errors.js').PitvError} PITV_OPTION_INVALID
 */
export function checkOptions(game, raw) {
  const own = Object.entries(game.options).map(([name, { min, max }]) => [name, integer(min, max)]);
  const fields = { ...Object.fromEntries(own), seed: integer(0, 0xffffffff) };
  return checkFields(game.title, fields, raw ?? {});
}
