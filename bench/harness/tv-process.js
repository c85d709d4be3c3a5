/**
 * Runs a TV in a process of its own: `node tv-process.js '{"engine", "matches", ...}'` (Request). Sends {url, code,
 * token} to its parent when the TV is running and its engine is fully prepared. Ends when the parent does.
 */
import { keepHeapSmall } from '../../app/process/memory-tuning.js';
import { BUNDLED, loadCatalog } from '../../app/packages/catalog.js';
import { loadBenchGames, startLocalTv } from './local-tv.js';

/**
 * @typedef {object} Request
 * @property {string} engine @property {number} matches
 * @property {string} [games] folder of the games; default: those of the TV
 * @property {string} [strangers] folder of games of others, which run locked, beside those of the TV
 * @property {boolean} [isBundled] whether the packages that come with pitv are installed
 * @property {string} [level] KSM level of the workers' launch. The caller drives ksmd
 * @property {string[]} [flags] of `pitv serve`
 * @property {number} [profileSeconds] duration of CPU profiles
 */

/** @type {Request} */
const request = JSON.parse(process.argv[2]);
const { engine, matches, level = 'off', flags = [], profileSeconds } = request;
keepHeapSmall(); // as `pitv serve` does
const how = ['--engine', engine, '--ksm', level, '--max-matches', String(Math.max(1, matches))];
try {
  const options = {
    games: await loadGames(),
    thorough: true,
    bundled: request.isBundled ? BUNDLED : undefined,
  };
  const { tv, close } = await startLocalTv([...how, ...flags], options);
  if (profileSeconds !== undefined) tv.profiles.seconds = profileSeconds;
  const end = async () => {
    await close();
    process.exit();
  };
  process.on('disconnect', end);
  const answer = { url: tv.url, code: tv.code, token: tv.admin.token };
  process.send?.(answer, (/** @type {unknown} */ error) => error && end()); // the parent may have ended meanwhile
} catch (error) {
  const { code, message } = /** @type {any} */ (error);
  process.send?.({ failed: { code, message } }, () => process.exit(1));
}

/** Loads the games that the request names. */
async function loadGames() {
  const { games, strangers } = request;
  if (strangers !== undefined) return [...(await loadCatalog()), ...(await loadCatalog(strangers))];
  return games === undefined ? undefined : loadBenchGames(games);
}
