/** Shows the matches of other nodes in the lobby, as their records say. */
import { messageOf } from '../errors.js';
import { describeEnd } from '../match/results.js';
import { gameOf } from './match-records.js';

/**
 * @typedef {import('../match/match.js').Match} Match
 * @typedef {import('./match-records.js').MatchRecord} MatchRecord
 * @typedef {import('./fleet-worker.js').FleetWorker} FleetWorker
 */

/** Matches in the lobby with which those of other nodes are still shown. Each has memory for its frames. */
const MAX_MATCHES = 1024;

/** @param {Match} match @returns {FleetWorker} */
export const workerOf = (match) => /** @type {FleetWorker} */ (match.worker);

/**
 * Sets who has which seat of a match.
 * @param {Match} match @param {{slot: number, player: import('../match/seats.js').Player}[]} wanted
 */
function setSeats(match, wanted) {
  const { seats, game } = match;
  const before = JSON.stringify(seats.roster);
  for (const { slot, player } of seats.slots) {
    if (!player || wanted.some((seat) => seat.slot === slot && seat.player === player)) continue;
    seats.leave(player);
    if (player.match === match) player.match = undefined;
  }
  for (const { slot, player } of wanted) {
    if (seats.slotOf(player) === slot || !seats.open) continue;
    seats.sit(player, slot);
    player.match = match;
    player.lastGame = game.id;
  }
  if (JSON.stringify(seats.roster) !== before) match.emit('slots');
}

export class Mirrors {
  #fleet;

  /** @param {import('./fleet.js').Fleet} fleet */
  constructor(fleet) {
    this.#fleet = fleet;
  }

  /** Begins to follow the records of other nodes. */
  open() {
    this.#fleet.tables.on('matches', (key, record) => {
      if (record) this.#apply(record);
      else this.#endForgotten(Number(key));
    });
    this.refresh();
  }

  /** Applies all records of other nodes again, for example because players or games have changed. */
  refresh() {
    for (const [, record] of this.#fleet.tables.entries('matches')) {
      if (record.node !== this.#fleet.node) this.#apply(record);
    }
  }

  /** @param {MatchRecord} record of another node */
  #apply(record) {
    const { lobby, matches } = this.#fleet;
    const match = lobby.find(record.id);
    if (record.end) match && workerOf(match).endAs(record.end);
    else if (!match) void this.#mirror(record);
    else if (!match.isOwn) this.follow(match, record);
    else if (record.epoch > workerOf(match).epoch) void matches.lose(match);
  }

  /** Shows a match of another node, when its game is known. @param {MatchRecord} record */
  async #mirror(record) {
    const { lobby, games, log, node } = this.#fleet;
    const { id } = record;
    const game = await games.learn(gameOf(record), record.options);
    const newest = this.#fleet.record(id);
    if (!game || !newest || newest.end || newest.node === node) return;
    if (lobby.find(id) || lobby.matches.length >= MAX_MATCHES) return;
    try {
      lobby.mirror(newest, game);
    } catch (error) {
      log.warn({ match: id, game: game.id, error: messageOf(error) }, 'a match is not shown here');
    }
  }

  /** Follows the node that runs a match. @param {Match} match @param {MatchRecord} record */
  follow(match, record) {
    workerOf(match).follow(record);
    setSeats(
      match,
      record.seats.flatMap(({ slot, player: id }) => {
        const player = this.#fleet.lobby.players.get(id);
        return player ? [{ slot, player }] : [];
      }),
    );
  }

  /** Ends a match whose end this node has missed, and whose results are gone. @param {number} id */
  #endForgotten(id) {
    const match = this.#fleet.lobby.find(id);
    if (match && !match.isOwn) workerOf(match).endAs(describeEnd('stopped', { results: [] }));
  }
}
