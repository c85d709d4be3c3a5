/** Chooses the games of a party. */
import { PitvError } from '../errors.js';

/** Number of games that a party may have. */
const MIN_GAMES = 2;
const MAX_GAMES = 9;

/**
 * Lists the games of a party: those for several players, in turn.
 * @param {import('../packages/catalog.js').Game[]} all
 * @param {unknown} games number of games, 2..9
 * @param {unknown} [first] id of the first game
 * @returns {string[]} ids
 * @throws {PitvError} PITV_OPTION_INVALID, PITV_GAME_UNKNOWN
 */
export function planGames(all, games, first) {
  const count = Number(games);
  if (!Number.isInteger(count) || count < MIN_GAMES || count > MAX_GAMES) {
    throw new PitvError('PITV_OPTION_INVALID', `A party has ${MIN_GAMES} to ${MAX_GAMES} games.`);
  }
  const ids = all.filter(({ players }) => players.max > 1).map(({ id }) => id);
  const from = first === undefined ? 0 : ids.indexOf(String(first));
  if (from < 0 || ids.length === 0) {
    throw new PitvError('PITV_GAME_UNKNOWN', 'There is no such game for several players.');
  }
  return Array.from({ length: count }, (_none, i) => ids[(from + i) % ids.length]);
}
