/** The lobby of a node: one lobby with those of all other nodes of the fleet. */
import { PitvError } from '../errors.js';
import { compareGames } from '../game/load-games.js';
import { versionOf } from '../lobby/game-list.js';
import { Lobby } from '../lobby/lobby.js';
import { FleetWorker } from './fleet-worker.js';

/**
 * @typedef {import('../match/match.js').Match} Match
 * @typedef {import('./match-records.js').MatchRecord} MatchRecord
 *
 * @typedef {object} LobbyServices what the lobby needs of the fleet
 * @property {string} node name of this node
 * @property {import('./fleet-games.js').FleetGames} games
 * @property {(match: {id: number}) => import('./fleet-worker.js').Link} linkOf
 * @property {(need: import('../lobby/lobby.js').NewMatch) => Promise<number | undefined>} startElsewhere starts a match
 *   on the node with most room; undefined: that is this node
 * @property {(match: Match, operation: string, about: object) => Promise<any>} askOwner
 * @property {() => {max: number, running: number}} othersCapacity
 * @property {(id: number) => boolean} isTaken whether a match of the fleet has this id
 * @property {(id: number) => Promise<Match>} waitFor a match of another node
 */

export class FleetLobby extends Lobby {
  #fleet;
  /** Games of this node. */
  #own;

  /** @param {import('../lobby/lobby.js').LobbyOptions} options @param {LobbyServices} fleet */
  constructor(options, fleet) {
    super({
      ...options,
      createWorker: (worker, match) => new FleetWorker(worker, fleet.linkOf(match), 1),
    });
    this.#fleet = fleet;
    this.#own = options.games;
    fleet.games.on('change', () => this.#listGames());
    fleet.games.setOwn(this.#own);
  }

  /** Sets the games of this node. @param {import('../lobby/catalog.js').Game[]} games */
  setGames(games) {
    this.#own = games;
    this.#fleet.games.setOwn(games);
  }

  /** Lists the games of all nodes. */
  #listGames() {
    const games = [...this.#own, ...this.#fleet.games.elsewhere].sort(compareGames);
    if (versionOf(games) !== this.gamesVersion) super.setGames(games);
  }

  /** That of the whole fleet. */
  get capacity() {
    const own = this.ownCapacity;
    const others = this.#fleet.othersCapacity();
    return { ...own, max: own.max + others.max, running: own.running + others.running };
  }
  /** @param {number} id */
  isFree(id) {
    return super.isFree(id) && !this.#fleet.isTaken(id);
  }

  /**
   * Resumes a match that this node has saved, unless the fleet has a newer checkpoint of it.
   * @param {import('../lobby/lobby.js').Saved} saved @param {Uint8Array} checkpoint
   */
  async resume(saved, checkpoint) {
    if (this.#fleet.isTaken(saved.id)) {
      throw new PitvError('PITV_FLEET_FENCED', 'The fleet goes on with this match.');
    }
    if (this.game(saved.game).elsewhere) {
      throw new PitvError('PITV_GAME_UNKNOWN', 'Only another node has the game.');
    }
    return super.resume(saved, checkpoint);
  }

  /** Starts a match on the node with most room. @param {import('../lobby/lobby.js').NewMatch} need */
  async begin(need) {
    const id = await this.#fleet.startElsewhere(need);
    if (id !== undefined) return this.#fleet.waitFor(id);
    if (!need.game.elsewhere) return super.begin(need);
    const sentence = `The nodes that have ${need.game.title} cannot start it now.`;
    throw new PitvError('PITV_FLEET_AWAY', sentence);
  }

  /** Starts a match on this node, for another one. @param {import('../lobby/lobby.js').NewMatch} need */
  beginHere(need) {
    const { max, running, why } = this.ownCapacity;
    if (running >= max) {
      throw new PitvError('PITV_CAPACITY', `${running} of ${max} matches are running (${why}).`);
    }
    return super.begin(need);
  }

  /**
   * Adds a match that runs on another node.
   * @param {MatchRecord} record
   * @returns {Match | undefined} undefined: this node does not know the game yet, see FleetGames.learn()
   */
  mirror(record) {
    const game = this.#fleet.games.find({ id: record.game, hash: record.hash }, record.options);
    if (!game) return undefined;
    const match = this.recreate(record, game);
    /** @type {FleetWorker} */ (match.worker).follow(record.epoch);
    this.emit('change');
    this.emit('started', match);
    return match;
  }

  /** @param {import('../match/player.js').Player} player @param {unknown} id */
  async join(player, id) {
    const match = this.match(id);
    if (!match.remote || player.match === match) return super.join(player, id);
    if (!match.open) throw new PitvError('PITV_MATCH_FULL', 'All seats of this match are taken.');
    await this.leave(player);
    await this.#fleet.askOwner(match, 'join', { player: player.id });
    return match;
  }

  /** @param {import('../match/player.js').Player} player */
  async leave(player) {
    const { match } = player;
    await super.leave(player);
    if (match?.remote) await this.#fleet.askOwner(match, 'leave', { player: player.id });
  }
}
