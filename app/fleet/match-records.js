/** What all nodes know of a match: who runs it, and who plays. */
import { factsOf } from '../match/saved-match.js';
import { anyText, integer, list, object, optional, shape } from '../options.js';
import { PLAYER_NAME } from '../storage/checks.js';
import { FACTS } from '../storage/match-file.js';
import { NODE_NAME } from './wire.js';

const MAX_TEXT = 256;
const MAX_RESULTS = 256;
/** How long results are kept. */
const RESULTS_MS = 10 * 60_000;
const RESULTS_OF_OTHERS_MS = RESULTS_MS + 60_000;
/** Changes of a record within one epoch. */
const CHANGES = 2 ** 20;

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
const RECORD = shape({
  ...FACTS,
  node: NODE_NAME,
  start: integer(1),
  epoch: integer(1),
  restarts: integer(0),
  pausedBy: optional(PLAYER_NAME),
  from: optional(TEXT),
  end: optional(shape({ reason: TEXT, message: TEXT, results: list(object(), 0, MAX_RESULTS) })),
});
/** Tells whether a value is a record with a key. @param {string} key @param {any} record */
export const isMatchRecord = (key, record) => RECORD.accepts(record) && key === String(record.id);

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

/**
 * Returns the first version of an epoch's records. It is above all versions of earlier epochs.
 * @param {number} epoch
 */
export const firstVersion = (epoch) => epoch * CHANGES;

/**
 * Removes the records of ended matches after a while. Until then, nodes that were cut off when a match ended can learn
 * its results. The owner removes a record first; the other nodes remove it later, in case the owner is gone.
 * @param {import('./shared-map.js').SharedMap} shared the records @param {string} node name of this one
 */
export function keepResults(shared, node) {
  const forgetLater = (/** @type {string} */ key, /** @type {MatchRecord} */ record) => {
    const forget = () => {
      if (shared.get(key)?.end) shared.delete(key);
    };
    setTimeout(forget, record.node === node ? RESULTS_MS : RESULTS_OF_OTHERS_MS).unref();
  };
  for (const [key, record] of shared.entries()) if (record.end) forgetLater(key, record);
  shared.on('change', (key, record) => {
    if (record?.end) forgetLater(key, record);
  });
}
