/** `pitv serve` with games that are over at once and parties with short pauses. */
import { fileURLToPath } from 'node:url';
import { parseSettings } from '../../app/config/parse.js';
import { createTv } from '../../app/create-tv.js';
import { loadCatalog } from '../../app/lobby/catalog.js';
import { createLog } from '../../app/log.js';

const GAMES = fileURLToPath(new URL('../lobby/games', import.meta.url));
const PARTY_REST_MS = 1500;

const settings = parseSettings(process.argv.slice(3), {});
const tv = await createTv(settings, createLog(settings.logLevel).log, {
  games: await loadCatalog(GAMES, undefined, 'open'),
  times: { partyRestMs: PARTY_REST_MS },
});
await tv.start();
process.once('SIGTERM', async () => {
  await tv.stop();
  process.exit(0);
});
