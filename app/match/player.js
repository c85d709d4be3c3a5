/** A player, as a match sees it. */

/**
 * @typedef {object} Player
 * @property {number} id @property {string} name @property {string} color @property {boolean} connected
 * @property {import('./match.js').Match | undefined} match
 * @property {string | undefined} lastGame the game of the last match
 * @property {Buffer} tokenHash
 * @property {string | undefined} client key of the address from which the player joined; undefined
 *   after a restart of the TV
 * @property {NodeJS.Timeout | undefined} graceTimer
 * @property {string} [home] node of a fleet at which the player was connected last; undefined: this one
 */
