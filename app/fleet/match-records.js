/** What all nodes know of a match: who runs it, and who plays. */
import { isList, isObject, isSha256, isText, isWhole } from '../storage/checks.js';
import { NODE_NAME } from './beat-format.js';

const MAX_ID = 0xffff;
const MAX_TEXT = 256;
const MAX_SEATS = 256;
const MAX_OPTIONS = 64;
const MAX_RESULTS = 256;
/** Changes of a record within one epoch. */
const CHANGES = 2 ** 20;

/**
 * @typedef {object} MatchRecord
 * @property {number} id @property {string} game @property {string} hash of the game's version
 * @property {Record<string, number>} options
 * @property {string} owner who may stop it @property {string} tokenHash
 * @property {number} startedAt ms since 1970
 * @property {{slot: number, player: number}[]} seats
 * @property {string} node that runs it @property {number} start of that node, see membership.js
 * @property {number} epoch grows with each node that runs it
 * @property {number} restarts of its worker
 * @property {string} [from] node that ran it before, until this one has written a checkpoint
 * @property {import('../match/results.js').End} [end] when it is over
 */

/** @param {any} seat */
const isSeat = (seat) =>
  isObject(seat) && isWhole(seat.slot, 0, MAX_SEATS - 1) && isWhole(seat.player, 1);
/** @param {any} options */
const isOptions = (options) =>
  isObject(options) &&
  isList(Object.entries(options), MAX_OPTIONS, ([name, value]) => {
    return isText(name, MAX_TEXT) && Number.isSafeInteger(value);
  });
/** @param {any} end */
const isEnd = (end) =>
  isObject(end) &&
  isText(end.reason, MAX_TEXT) &&
  isText(end.message, MAX_TEXT) &&
  isList(end.results, MAX_RESULTS, isObject);

/** Tells whether a value is a record with a key. @param {string} key @param {any} record */
export const isMatchRecord = (key, record) =>
  isObject(record) &&
  isWhole(record.id, 1, MAX_ID) &&
  key === String(record.id) &&
  isText(record.game, MAX_TEXT) &&
  isText(record.hash, MAX_TEXT) &&
  isOptions(record.options) &&
  isText(record.owner, MAX_TEXT) &&
  isSha256(record.tokenHash) &&
  isWhole(record.startedAt, 0) &&
  isList(record.seats, MAX_SEATS, isSeat) &&
  isText(record.node, MAX_TEXT) &&
  NODE_NAME.test(record.node) &&
  isWhole(record.start, 1) &&
  isWhole(record.epoch, 1) &&
  isWhole(record.restarts, 0) &&
  (record.from === undefined || isText(record.from, MAX_TEXT)) &&
  (record.end === undefined || isEnd(record.end));

/**
 * Describes a match that runs on this node.
 * @param {import('../match/match.js').Match} match
 * @param {{node: string, start: number, from?: string}} owner
 * @returns {MatchRecord}
 */
export function recordOf(match, { node, start, from }) {
  const { id, game, options, owner, tokenHash, startedAt, restarts } = match;
  return {
    id,
    game: game.id,
    hash: game.hash,
    options,
    owner,
    tokenHash: tokenHash.toString('hex'),
    startedAt,
    seats: match.seats.slots.flatMap(({ slot, player }) =>
      player ? [{ slot, player: player.id }] : [],
    ),
    node,
    start,
    epoch: /** @type {import('./fleet-worker.js').FleetWorker} */ (match.worker).epoch,
    restarts,
    ...(from && { from }),
  };
}

/** Version from which the records of an epoch count: those of a former owner are older. @param {number} epoch */
export const firstVersion = (epoch) => epoch * CHANGES;
