/** Starts TVs in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSettings } from '../../app/config/parse.js';
import { createTv } from '../../app/create-tv.js';
import { silentLog } from '../../app/log.js';
import { loadCatalog } from '../../app/packages/catalog.js';

/**
 * @typedef {object} LocalTv
 * @property {import('../../app/tv.js').Tv} tv @property {string} dataDir
 * @property {() => Promise<void>} close stops the TV and removes its data
 */

/**
 * Starts a TV that listens on a free port of 127.0.0.1 and has a data folder of its own.
 * @param {string[]} flags of `pitv serve`
 * @param {import('../../app/create-tv.js').TvOptions} [options]
 * @param {import('pino').Logger} [log]
 * @returns {Promise<LocalTv>}
 */
export async function startLocalTv(flags, options = {}, log = silentLog) {
  const dataDir = mkdtempSync(join(tmpdir(), 'pitv-bench-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  const where = ['--port', '0', '--host', '127.0.0.1', '--data-dir', dataDir];
  try {
    const tv = await createTv(parseSettings([...where, ...flags], {}), log, options);
    await tv.start();
    const close = async () => {
      await tv.stop();
      remove();
    };
    return { tv, dataDir, close };
  } catch (error) {
    remove();
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
