import { loadCatalog } from '../../app/packages/catalog.js';

/**
 * Loads the games of a scenario. They belong to this project and import other parts of it, so they run without the lock
 * of games of others.
 * @param {string} folder
 * @returns {Promise<import('../../app/packages/catalog.js').Game[]>}
 */
export async function loadBenchGames(folder) {
  const games = await loadCatalog(folder, undefined, 'open');
  return games.map(({ lock: _lock, ...game }) => game);
}
