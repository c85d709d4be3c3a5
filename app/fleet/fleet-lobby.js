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

/**
 * @typedef {import('../match/match.js').Match} Match
 * @typedef {import('./fleet.js').Fleet} Fleet
 * @typedef {ReturnType<typeof linkOf>} Link
 */

/** Makes what sends and receives for one match. @param {Fleet} fleet @param {{id: number}} match */
function linkOf(fleet, { id }) {
  const { node, connection, counters } = fleet;
  const frames = `pitv.frame.${id}`;
  const inputs = `pitv.input.${id}.`;
  const playerAt = (/** @type {number} */ slot) => fleet.lobby.find(id)?.seats.playerAt(slot);
  return {
    counters,
    mayShow: () => fleet.mayShow(id),
    isWanted: () => fleet.isWanted(id),
    requestStop: (/** @type {string} */ reason) => askOwner(fleet, id, 'stop', { reason }),
    requestPause: (/** @type {string | undefined} */ by) => askOwner(fleet, id, 'pause', { by }),
    /** Tells whether the phone of a slot is connected to this node. @param {number} slot */
    isHere(slot) {
      const player = playerAt(slot);
      return player?.connected === true && player.home === undefined;
    },
    /** Tells whether the phone of a slot is connected to another node. @param {number} slot @param {string} home */
    isAt: (slot, home) => playerAt(slot)?.home === home,
    /** @param {Uint8Array} message */
    sendFrame(message) {
      connection.publish(frames, message);
      counters.frames.sent++;
      counters.frameBytes.sent += message.length;
    },
    /** @param {Uint8Array} message */
    sendInputs: (message) => connection.publish(`${inputs}${node}`, message),
    /** @param {(bytes: Uint8Array) => void} onMessage @returns {() => void} ends it */
    onFrames: (onMessage) => connection.subscribe(frames, ({ data }) => onMessage(data)),
    /** @param {(bytes: Uint8Array, node: string) => void} onMessage @returns {() => void} ends it */
    onInputs: (onMessage) =>
      connection.subscribe(`${inputs}*`, ({ data, subject }) => {
        onMessage(data, subject.slice(inputs.length));
      }),
  };
}

export class FleetLobby extends Lobby {
  #fleet;

  /** @param {import('../lobby/lobby.js').LobbyOptions} options @param {Fleet} fleet */
  constructor(options, fleet) {
    super({
      ...options,
      createWorker: (worker, match) => new FleetWorker(worker, linkOf(fleet, match), 1),
    });
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
    return super.resume(saved, checkpoint);
  }

  /** Starts a match on the node with most room. @param {import('../lobby/lobby.js').NewMatch} need */
  async begin(need) {
    const { hasLease } = this.#fleet.membership;
    const id = hasLease ? await this.#startElsewhere(need) : undefined;
    if (id !== undefined) return this.#waitForMatch(id);
    if (!need.game.elsewhere) return super.begin(need);
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
    if (match.isOwn || player.match === match) return super.join(player, id);
    if (!match.open) throw new PitvError('PITV_MATCH_FULL', 'All seats of this match are taken.');
    await this.leave(player);
    await askOwner(this.#fleet, match.id, 'join', { player: player.id });
    return match;
  }

  /** @param {import('../match/player.js').Player} player */
  async leave(player) {
    const { match } = player;
    await super.leave(player);
    if (!match || match.isOwn) return;
    await askOwner(this.#fleet, match.id, 'leave', { player: player.id });
  }
}
