/** Default limits of one match. The table of all limits that operators see is in ../limits/. */
import { LIMITS } from '../limits/table.js';

/**
 * @typedef {object} MatchLimits
 * @property {number} emptyMs a match without a connected player ends after this time
 * @property {number} absentAfterMs the input of a disconnected player is neutral for this time; then the player is
 *   absent, and the game may take over
 * @property {number} failures this many failures of the worker
 * @property {number} failuresMs within this time end the match
 * @property {number} stopGraceMs time for a worker's last checkpoint
 * @property {number} pauseMs a pause ends after this time
 */

/** @type {MatchLimits} */
export const MATCH_LIMITS = Object.freeze({
  emptyMs: LIMITS.emptyMatch.value,
  absentAfterMs: 1_500,
  failures: 3,
  failuresMs: 60_000,
  stopGraceMs: 1000,
  pauseMs: LIMITS.matchPause.value,
});
