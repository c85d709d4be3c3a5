/** Checks that the game of a package can be played. */
import { PitvError, messageOf } from '../errors.js';
import { invalidGame } from '../game/check-game.js';
import { readForeign } from './catalog.js';
import { readContent } from './content.js';

/**
 * Loads the game of a package that is about to be installed.
 * @param {import('./packages.js').Staged} staged @param {import('./catalog.js').UntrustedGames} [untrusted]
 * @throws {PitvError} PITV_GAME_INVALID; PITV_LOCK_UNSUPPORTED
 */
export async function checkPackage({ path, manifest }, untrusted) {
  const { id, game } = manifest;
  const [result] = await readForeign([{ path: `${path}/${game}`, id, folder: path }], untrusted);
  const problem = await findProblem(result, path);
  if (!problem) return;
  throw new PitvError(problem.code, problem.message.replaceAll(`${path}/`, ''), { cause: problem });
}

/**
 * Tells why the game of a package cannot be played.
 * @param {import('./foreign-games.js').ForeignGame | PitvError} result of its reading @param {string} folder
 */
export async function findProblem(result, folder) {
  if (result instanceof PitvError) return result;
  const { kinds, events } = result.view;
  const pictures = kinds.map(({ picture }, i) => ({ path: picture, field: `kinds[${i}].picture` }));
  const sounds = events.map(({ sound }, i) => ({ path: sound, field: `events[${i}].sound` }));
  for (const { path, field } of [...pictures, ...sounds]) {
    const [kind, name] = path?.split('/') ?? [];
    if (!name) continue; // a sound of pitv
    try {
      await readContent(folder, /** @type {'art' | 'sounds'} */ (kind), name);
    } catch (error) {
      const why = error instanceof PitvError ? messageOf(error) : `${path} is not in the package.`;
      return invalidGame(`${result.id}: view.${field}: ${why}`);
    }
  }
  return undefined;
}
