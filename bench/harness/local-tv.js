/** Starts TVs in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSettings } from '../../app/config/parse.js';
import { createTv } from '../../app/create-tv.js';
import { silentLog } from '../../app/log.js';
import { loadCatalog } from '../../app/packages/catalog.js';

/**
 * Starts a TV that listens on a free port of 127.0.0.1.
 * @param {string[]} flags of `pitv serve`
 * @param {{dataDir?: string} & import('../../app/create-tv.js').TvOptions} [options] dataDir: by default a new folder
 * @returns {Promise<{tv: import('../../app/tv.js').Tv, close: () => Promise<void>}>} close: stops the TV, and removes
 *   the new folder
 */
export async function startLocalTv(flags, { dataDir, ...options } = {}) {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'pitv-local-'));
  const where = ['--port', '0', '--host', '127.0.0.1', '--data-dir', folder];
  /** @type {import('../../app/tv.js').Tv | undefined} */
  let tv;
  const close = async () => {
    await tv?.stop(); // it saves its state in the folder
    if (dataDir === undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    tv = await createTv(parseSettings([...where, ...flags], {}), silentLog, options);
    await tv.start();
    return { tv, close };
  } catch (error) {
    await close();
    throw error;
  }
}

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
