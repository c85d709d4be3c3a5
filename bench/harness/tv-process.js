/**
 * A TV in a process of its own: `node tv.js '{"engine", "matches", "games", "level"}'`. Tells its parent
 * {url, code, token} once it is on and all that its engine does ahead is done; ends when the parent does.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCatalog } from '../../app/lobby/catalog.js';
import { parseSettings } from '../../app/config/parse.js';
import { silentLog } from '../../app/log.js';
import { keepHeapSmall } from '../../app/process/memory-tuning.js';
import { createTv } from '../../app/create-tv.js';

/**
 * @typedef {object} Request
 * @property {string} engine @property {number} matches
 * @property {string} [games] their folder, if not the TV's own
 * @property {string} [level] of KSM
 */

/** @type {Request} */
const { engine, matches, games, level = 'off' } = JSON.parse(process.argv[2]);
keepHeapSmall(); // as `pitv serve` does
const dataDir = mkdtempSync(join(tmpdir(), 'pitv-bench-'));
const where = ['--port', '0', '--host', '127.0.0.1', '--data-dir', dataDir];
const how = ['--engine', engine, '--ksm', level, '--max-matches', String(Math.max(1, matches))];
try {
  const tv = await createTv(parseSettings([...where, ...how], {}), silentLog, {
    games: games === undefined ? undefined : await loadCatalog(games),
    thorough: true,
  });
  await tv.start();
  process.on('disconnect', async () => {
    await tv.stop();
    rmSync(dataDir, { recursive: true, force: true });
    process.exit();
  });
  process.send?.({ url: tv.url, code: tv.code, token: tv.admin.token });
} catch (error) {
  rmSync(dataDir, { recursive: true, force: true });
  const { code, message } = /** @type {any} */ (error);
  process.send?.({ failed: { code, message } }, () => process.exit(1));
}
