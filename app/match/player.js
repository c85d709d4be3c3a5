/** What a match knows of a player, and the colours of players. */

/** Eight colours that differ even on a poor TV. A game's slot n has colour n unless a player chose it. */
export const PLAYER_COLORS = Object.freeze([
  '#ff4d4d',
  '#4da3ff',
  '#ffd24d',
  '#5fe07a',
  '#c77dff',
  '#ff9f43',
  '#3ddbd9',
  '#ff7ac6',
]);

/**
 * @typedef {object} Player
 * @property {number} id
 * @property {string} name
 * @property {string} color
 * @property {boolean} connected
 * @property {import('./match.js').Match | undefined} match
 * @property {string | undefined} lastGame the game to play again
 * @property {Buffer} tokenHash
 * @property {string | undefined} client the key of the address that the player joined from; undefined
 *   after a restart of the TV
 * @property {NodeJS.Timeout | undefined} graceTimer
 */
