/** The end of a match: its reason and the players' results. */
import { readPlayers } from '../game/frame-reader.js';
import { PLAYER_FLAG } from '../game/frame.js';
import { PLAYER_COLORS } from './player-colors.js';

/** @typedef {'done' | 'stopped' | 'failed' | 'empty'} EndReason */
/**
 * @typedef {{player: import('../lobby/players.js').Player['id'] | null, name: string, color: string,
 *   score: number, winner: boolean}} Result player: null for a bot
 */
/** @typedef {{reason: EndReason, message: string, results: Result[]}} End */

export const END_MESSAGES = Object.freeze({
  done: 'The match is over.',
  stopped: 'The match was stopped.',
  failed: 'The game failed several times, so the match has ended. Sorry!',
  empty: 'No one was playing any more.',
});

/**
 * Reads the results from the last frame.
 * @param {Uint8Array | undefined} bytes
 * @param {import('./seats.js').Seats} seats
 * @returns {Result[]} in the order of scores, highest first
 */
export function resultsOf(bytes, seats) {
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
      return [{ player: id, name, color, score, winner: (flags & PLAYER_FLAG.winner) !== 0 }];
    })
    .sort((a, b) => b.score - a.score);
}
