/**
 * The lobby of a node: one lobby with those of all other nodes of the fleet. A match starts on the node with most room.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { PitvError, messageOf } from '../errors.js';
import { compareGames } from '../game/load-games.js';
import { versionOf } from '../lobby/game-list.js';
import { Lobby } from '../lobby/lobby.js';
import { FleetWorker } from './fleet-worker.js';
import { askOwner } from './requests.js';

/** How long a match of another node may take to appear. */
const APPEAR_MS = 3000;
const POLL_MS = 5;
/** How long a player who joins a match of this node waits until the owner of another one knows: it may be away. */
const LEAVE_MS = 1000;

/**
 * @typedef {import('../match/match.js').Match} Match
 * @typedef {import('./fleet.js').Fleet} Fleet
 */

export class FleetLobby extends Lobby {
  #fleet;

  /** @param {import('../lobby/lobby.js').LobbyOptions} options @param {Fleet} fleet */
  constructor(options, fleet) {
    super({ ...options, createWorker: (worker, { id }) => new FleetWorker(worker, fleet, id) });
    this.#fleet = fleet;
    fleet.games.on('change', () => this.#listGames());
    fleet.games.setOwn(options.games);
  }

  /** Sets the games of this node. @param {import('../packages/catalog.js').Game[]} games */
  setGames(games) {
    this.#fleet.games.setOwn(games);
  }

  /** Lists the games of all nodes. */
  #listGames() {
    const games = this.#fleet.games.all.sort(compareGames);
    if (versionOf(games) !== this.gameList.version) super.setGames(games);
  }

  /** That of the whole fleet. */
  get capacity() {
    const capacity = this.ownCapacity;
    for (const { max, matches } of this.#fleet.nodes.others) {
      capacity.max += max;
      capacity.running += matches;
    }
    return capacity;
  }
  /** @param {number} id */
  isFree(id) {
    return super.isFree(id) && !this.#fleet.record(id);
  }

  /**
   * Resumes a match that this node has saved, unless the fleet has a newer checkpoint of it.
   * @param {import('../lobby/lobby.js').Saved} saved @param {Uint8Array} checkpoint
   */
  async resume(saved, checkpoint) {
    if (this.#fleet.record(saved.id)) {
      throw new PitvError('PITV_FLEET_FENCED', 'The fleet goes on with this match.');
    }
    if (this.game(saved.game).elsewhere) {
      throw new PitvError('PITV_GAME_UNKNOWN', 'Only another node has the game.');
    }
    this.#fleet.matches.keepPrivate(saved.id);
    return super.resume(saved, checkpoint);
  }

  /**
   * Creates a match that has run before. If two nodes have saved it, the newer owner's wins.
   * @param {Parameters<Lobby['recreate']>} given
   */
  recreate(...given) {
    const match = super.recreate(...given);
    match.worker.epoch = given[0].epoch ?? 1;
    return match;
  }

  /** Starts a match on the node with most room. @param {import('../lobby/lobby.js').NewMatch} need */
  async begin(need) {
    const { hasLease } = this.#fleet.membership;
    const id = hasLease ? await this.#startElsewhere(need) : undefined;
    if (id !== undefined) return this.#waitForMatch(id);
    if (!need.game.elsewhere) return this.beginHere(need);
    const sentence = `The nodes that have ${need.game.title} cannot start it now.`;
    throw new PitvError('PITV_FLEET_AWAY', sentence);
  }

  /**
   * Starts a match on the node with most room.
   * @param {import('../lobby/lobby.js').NewMatch} need
   * @returns {Promise<number | undefined>} its id; undefined: this node has as much room as any other
   * @throws {PitvError} PITV_FLEET_AWAY: the TV ends
   */
  async #startElsewhere({ game, options, owner, tokenHash, first }) {
    const fleet = this.#fleet;
    const about = {
      game: game.id,
      hash: game.hash,
      options,
      owner,
      first: first?.id,
      tokenHash: tokenHash.toString('hex'),
    };
    await fleet.opened;
    const ranking = fleet.nodes.ranking(game);
    const self = ranking.find(({ node }) => node === fleet.node);
    for (const { node, room } of ranking) {
      if (room <= 0 || (self && room <= self.room)) return undefined;
      try {
        return (await fleet.ask(node, 'start', about)).id;
      } catch (error) {
        fleet.log.warn({ node, error: messageOf(error) }, 'a match starts on another node');
      }
    }
    return undefined;
  }

  /**
   * Waits until a match that has started on another node appears here.
   * @param {number} id @returns {Promise<Match>} @throws {PitvError} PITV_FLEET_AWAY
   */
  async #waitForMatch(id) {
    for (const end = performance.now() + APPEAR_MS; performance.now() < end;) {
      const match = this.find(id);
      if (match) return match;
      await delay(POLL_MS);
    }
    throw new PitvError('PITV_FLEET_AWAY', 'The match has started on a node that is away.');
  }

  /** Starts a match on this node, for another one. @param {import('../lobby/lobby.js').NewMatch} need */
  beginHere(need) {
    this.checkCapacity(this.ownCapacity);
    return super.begin(need);
  }

  /**
   * Adds a match that runs on another node.
   * @param {import('./match-records.js').MatchRecord} record
   * @param {import('../packages/catalog.js').Game} game from FleetGames.learn()
   */
  mirror(record, game) {
    const match = this.recreate(record, game);
    /** @type {FleetWorker} */ (match.worker).follow(record);
    this.emit('change');
    this.emit('started', match);
    return match;
  }

  /** @param {import('../match/seats.js').Player} player @param {Match} match */
  async move(player, match) {
    if (!match.isOwn) {
      await this.leave(player);
      await askOwner(this.#fleet, match.id, 'join', { player: player.id });
      return;
    }
    if (player.match?.isOwn === false) {
      await Promise.race([this.leave(player).catch(() => {}), delay(LEAVE_MS)]);
    }
    await super.move(player, match);
  }

  /** @param {import('../match/seats.js').Player} player */
  async leave(player) {
    const { match } = player;
    await super.leave(player);
    if (!match || match.isOwn) return;
    await askOwner(this.#fleet, match.id, 'leave', { player: player.id });
  }
}
