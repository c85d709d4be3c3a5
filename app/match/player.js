/** A player, as a match sees it. */

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
