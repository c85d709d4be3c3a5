/** `pitv serve` with a game that is over at once, one without players, and short times. */
import { fileURLToPath } from 'node:url';
import { parseSettings } from '../../app/config/parse.js';
import { createTv } from '../../app/create-tv.js';
import { loadCatalog } from '../../app/packages/catalog.js';
import { createLog } from '../../app/log.js';

const GAMES = fileURLToPath(new URL('../lobby/games', import.meta.url));
const PARTY_REST_MS = 1500;
const UNWATCHED_MS = 1500;

const settings = parseSettings(process.argv.slice(3), {});
const own = await loadCatalog();
const tv = await createTv(settings, createLog(settings.logLevel).log, {
  games: [
    ...(await loadCatalog(GAMES, undefined, 'open')),
    ...own.filter(({ players }) => players.max === 0),
  ],
  times: { partyRestMs: PARTY_REST_MS, unwatchedMs: UNWATCHED_MS },
});
await tv.start();
process.once('SIGTERM', async () => {
  await tv.stop();
  process.exit(0);
});
