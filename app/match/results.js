/** The end of a match: its reason and the players' results. */
import { readPlayers, readTeams } from '../game/frame-reader.js';
import { PLAYER_FLAG, teamOf } from '../game/frame.js';
import { PLAYER_COLORS } from './player-colors.js';

/**
 * @typedef {'done' | 'stopped' | 'failed' | 'empty'} EndReason
 * @typedef {{name: string, color: string, score: number, winner: boolean}} TeamResult
 * @typedef {TeamResult & {player: number | null, team?: number}} Result player: id, null for a bot; team: if there are
 *   teams
 * @typedef {{reason: EndReason, message: string, results: Result[], teams?: TeamResult[], problem?: string}} End teams:
 *   in the order of the game; problem: why the game failed, with file and line, in development only
 */

const END_MESSAGES = Object.freeze({
  done: 'The match is over.',
  stopped: 'The match was stopped.',
  failed: 'The game failed several times, so the match has ended. Sorry!',
  empty: 'No one was playing any more.',
});

export const END_REASONS = Object.keys(END_MESSAGES);

/**
 * Reads the results from the last frame.
 * @param {Uint8Array | undefined} bytes @param {import('./seats.js').Seats} seats
 * @param {number} [teams] number of teams of the game
 * @returns {Result[]} in the order of scores, highest first
 */
export function resultsOf(bytes, seats, teams = 0) {
  if (!bytes) return [];
  return readPlayers(bytes)
    .flatMap(({ score, flags }, slot) => {
      const player = seats.playerAt(slot);
      if (!player && !(flags & PLAYER_FLAG.bot)) return [];
      const { id, name, color } = player ?? {
        id: null,
        name: 'Bot',
        color: PLAYER_COLORS[slot % PLAYER_COLORS.length],
      };
      const team = teamOf(flags);
      const winner = (flags & PLAYER_FLAG.winner) !== 0;
      return [{ player: id, name, color, score, winner, ...(team < teams && { team }) }];
    })
    .sort((a, b) => b.score - a.score);
}

/**
 * Reads the results of players and teams from the last frame.
 * @param {Uint8Array | undefined} bytes @param {import('./seats.js').Seats} seats
 * @param {readonly {name: string, color: string}[]} [teams] of the game
 * @returns {Pick<End, 'results' | 'teams'>}
 */
export function scoresOf(bytes, seats, teams) {
  const results = resultsOf(bytes, seats, teams?.length);
  if (!bytes || !teams) return { results };
  const records = readTeams(readPlayers(bytes), teams.length);
  const scored = teams.map(({ name, color }, team) => ({ name, color, ...records[team] }));
  return { results, teams: scored };
}

/**
 * Returns the place of a player, or in a game with teams that of the player's team. Equal scores share a place.
 * @param {Result} result @param {Pick<End, 'results' | 'teams'>} scores @returns {number} from 1
 */
export function placeOf(result, { results, teams = [] }) {
  const own = teams[result.team ?? -1];
  const scores = (own ? teams : results).map(({ score }) => score);
  return 1 + scores.filter((score) => score > (own ?? result).score).length;
}

/**
 * Describes the end of a match.
 * @param {EndReason} reason @param {Pick<End, 'results' | 'teams'>} scores
 * @param {string} [problem] why the game failed @returns {End}
 */
export function describeEnd(reason, { results, teams }, problem) {
  const shown = problem && process.env.NODE_ENV === 'development' && { problem };
  return { reason, message: END_MESSAGES[reason], results, ...(teams && { teams }), ...shown };
}
