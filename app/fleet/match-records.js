/** What all nodes know of a match: who runs it, and who plays. */
import { MAX_TEAMS } from '../game/vocabulary.js';
import { END_REASONS } from '../match/results.js';
import { factsOf } from '../match/saved-match.js';
import { anyText, boolean, integer, list, oneOf, optional, shape } from '../options.js';
import { PLAYER_NAME } from '../storage/checks.js';
import { FACTS } from '../storage/match-file.js';
import { NODE_NAME } from './wire.js';

const MAX_TEXT = 256;
const MAX_RESULTS = 256;

/**
 * @typedef {Omit<import('../match/saved-match.js').Saved, 'tick'> & Ownership} MatchRecord
 *
 * @typedef {object} Ownership
 * @property {string} node that runs it @property {number} start of that node, see membership.js
 * @property {number} epoch grows with each node that runs it
 * @property {number} restarts of its worker
 * @property {string} [pausedBy] see ResilientWorker.pause()
 * @property {string} [from] node that ran it before, until this one has written a checkpoint
 * @property {import('../match/results.js').End} [end] when it is over
 */

const TEXT = anyText(MAX_TEXT);
const MAX_SCORE = 2 ** 31;
const TEAM = {
  name: PLAYER_NAME,
  color: TEXT,
  score: integer(-MAX_SCORE, MAX_SCORE),
  winner: boolean(),
};
const RESULT = {
  ...TEAM,
  player: {
    allowed: 'an id, or null',
    accepts: (/** @type {unknown} */ id) => id === null || integer(1).accepts(id),
  },
  team: optional(integer(0, MAX_TEAMS - 1)),
};
const END = shape({
  reason: oneOf(END_REASONS),
  message: TEXT,
  results: list(shape(RESULT), 0, MAX_RESULTS),
  teams: optional(list(shape(TEAM), 0, MAX_TEAMS)),
});
const RECORD = shape({
  ...FACTS,
  node: NODE_NAME,
  start: integer(1),
  epoch: integer(1),
  restarts: integer(0),
  pausedBy: optional(PLAYER_NAME),
  from: optional(TEXT),
  end: optional(END),
});
/** Tells whether a value is a record with a key. @param {string} key @param {any} record */
export const isMatchRecord = (key, record) => RECORD.accepts(record) && key === String(record.id);

/** Returns the game of a match, as nodes name it. @param {{game: string, hash: string}} record */
export const gameOf = ({ game: id, hash }) => ({ id, hash });

/**
 * Describes a match that runs on this node.
 * @param {import('../match/match.js').Match} match @param {{node: string, start: number, from?: string}} owner
 * @returns {MatchRecord}
 */
export function recordOf(match, { node, start, from }) {
  return {
    ...factsOf(match),
    seats: match.seats.slots.flatMap(({ slot, player }) =>
      player ? [{ slot, player: player.id }] : [],
    ),
    node,
    start,
    epoch: /** @type {import('./fleet-worker.js').FleetWorker} */ (match.worker).epoch,
    restarts: match.restarts,
    pausedBy: match.paused?.by,
    ...(from && { from }),
  };
}
