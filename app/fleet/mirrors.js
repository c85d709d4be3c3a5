/** Shows the matches of other nodes in the lobby, as their records say. */
import { PitvError, messageOf } from '../errors.js';
import { describeEnd } from '../match/results.js';

/**
 * @typedef {import('../match/match.js').Match} Match
 * @typedef {import('./match-records.js').MatchRecord} MatchRecord
 * @typedef {import('./fleet-worker.js').FleetWorker} FleetWorker
 */

/** @param {Match} match @returns {FleetWorker} */
export const workerOf = (match) => /** @type {FleetWorker} */ (match.worker);

/**
 * Sets who has which seat of a match.
 * @param {Match} match @param {{slot: number, player: import('../match/player.js').Player}[]} wanted
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
    if (seats.slotOf(player) === slot) continue;
    seats.sit(player, slot);
    player.match = match;
    player.lastGame = game.id;
  }
  if (JSON.stringify(seats.roster) !== before) match.emit('slots');
}

export class Mirrors {
  #fleet;
  #shared;
  #onLost;

  /**
   * @param {import('./fleet.js').Fleet} fleet
   * @param {(match: Match) => void} onLost is called when another node has taken over a match of this one
   */
  constructor(fleet, onLost) {
    this.#fleet = fleet;
    this.#shared = fleet.tables.matches;
    this.#onLost = onLost;
  }

  /** Begins to follow the records of other nodes. */
  open() {
    this.#shared.on('change', (key, record, isOwn) => {
      if (isOwn) return;
      if (record) this.#apply(record);
      else this.#endForgotten(Number(key));
    });
    this.refresh();
  }

  /** Applies all records of other nodes again, for example because players or games have changed. */
  refresh() {
    for (const [, record] of this.#shared.entries()) {
      if (record.node !== this.#fleet.node) this.#apply(record);
    }
  }

  /** @param {MatchRecord} record of another node */
  #apply(record) {
    const match = this.#fleet.lobby.find(record.id);
    if (record.end) match && workerOf(match).endAs(record.end);
    else if (!match) this.#mirror(record);
    else if (!match.isOwn) this.follow(match, record);
    else if (record.epoch > workerOf(match).epoch) this.#onLost(match);
  }

  /** Shows a match of another node, when its game is known. @param {MatchRecord} record */
  #mirror(record) {
    const { lobby, games, log } = this.#fleet;
    const { id, game, hash, options } = record;
    try {
      if (lobby.mirror(record)) return;
      void games.learn({ id: game, hash }, options).then((learned) => {
        const newest = learned && this.#fleet.record(id);
        if (newest && newest.node !== this.#fleet.node) this.#apply(newest);
      });
    } catch (error) {
      log.warn({ match: id, game, error: messageOf(error) }, 'a match is not shown here');
    }
  }

  /**
   * Shows a match that this node will run.
   * @param {MatchRecord} record @returns {Promise<Match>} @throws {PitvError} PITV_GAME_UNKNOWN
   */
  async showOwn(record) {
    const { lobby, games } = this.#fleet;
    const version = { id: record.game, hash: record.hash };
    const game = games.own(version);
    if (!game) throw new PitvError('PITV_GAME_UNKNOWN', 'This node does not have its game.');
    await games.learn(version, record.options);
    const match = /** @type {Match} */ (lobby.find(record.id) ?? lobby.mirror(record));
    if (match.game.elsewhere) match.setGame(game); // it was installed after the match had begun
    return match;
  }

  /** Follows the node that runs a match. @param {Match} match @param {MatchRecord} record */
  follow(match, record) {
    const worker = workerOf(match);
    if (worker.isOwn || worker.epoch !== record.epoch) worker.follow(record.epoch);
    worker.noteRestarts(record.restarts);
    worker.notePause(record.pausedBy);
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
