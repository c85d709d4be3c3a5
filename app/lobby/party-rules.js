/** The rules of a party: which games it has, and the points. */
import { PitvError } from '../errors.js';
import { placeOf } from '../match/results.js';

/** Points of the first places; all others who have played get one. */
const PLACE_POINTS = Object.freeze([5, 3, 2]);
const OTHER_POINTS = 1;

/** @typedef {{player: number, name: string, color: string, points: number}} Line */

/** The points of a party. Bots get none. */
export class PartyTable {
  /** @type {Map<number, Line>} */
  #lines;

  /** @param {Line[]} [lines] */
  constructor(lines = []) {
    this.#lines = new Map(lines.map((line) => [line.player, line]));
  }

  /** Most points first. @returns {Line[]} */
  get lines() {
    return [...this.#lines.values()].sort((a, b) => b.points - a.points);
  }

  /** Returns a player's points. @param {number} player id @returns {number} */
  pointsOf(player) {
    return this.#lines.get(player)?.points ?? 0;
  }

  /** Adds the points of a game. @param {Pick<import('../match/match.js').End, 'results' | 'teams'>} scores */
  add(scores) {
    for (const result of scores.results) {
      const { player, name, color } = result;
      if (player === null) continue;
      const points = PLACE_POINTS[placeOf(result, scores) - 1] ?? OTHER_POINTS;
      this.#lines.set(player, { player, name, color, points: this.pointsOf(player) + points });
    }
  }
}

/** Number of games that a party may have. */
const MIN_GAMES = 2;
const MAX_GAMES = 9;

/**
 * Lists the games of a party: those for several players, in turn.
 * @param {import('../packages/catalog.js').Game[]} all @param {unknown} games number of games, 2..9
 * @param {unknown} [first] id of the first game @returns {string[]} ids
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
