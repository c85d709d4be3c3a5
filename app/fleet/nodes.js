/** What a node tells about itself, and what it knows about the others. */
import { availableParallelism } from 'node:os';
import { byRoom, roomOf } from './room.js';

/**
 * @typedef {import('../match/match.js').Match} Match
 * @typedef {import('./beat-format.js').AboutNode} AboutNode
 * @typedef {Partial<AboutNode> & {node: string, alive: boolean, self: boolean, lagMs?: number}} NodeState lagMs: time
 *   from this node to that one and back
 */

export class Nodes {
  #membership;
  #lobby;
  #version;
  #urls;
  #isWatched;
  #log;
  #games;
  /** The other nodes that were alive at the last look. @type {Set<string>} */
  #seen = new Set();
  /** This node takes no more matches. */
  drains = false;

  /**
   * @param {object} parts
   * @param {import('./membership.js').Membership} parts.membership
   * @param {import('./fleet-lobby.js').FleetLobby} parts.lobby
   * @param {string} parts.version of pitv
   * @param {() => string[]} parts.urls addresses of this node for phones
   * @param {(match: Match) => boolean} parts.isWatched whether a screen of this node shows a match
   * @param {import('pino').Logger} parts.log
   * @param {import('./fleet-games.js').FleetGames} parts.games
   */
  constructor({ membership, lobby, version, urls, isWatched, log, games }) {
    this.#membership = membership;
    this.#lobby = lobby;
    this.#version = version;
    this.#urls = urls;
    this.#isWatched = isWatched;
    this.#log = log;
    this.#games = games;
  }

  /** What this node tells about itself. @returns {AboutNode} */
  get self() {
    const lobby = this.#lobby;
    const own = lobby.matches.filter((match) => !match.remote);
    const stepMicros = own.map((match) => match.worker.mailbox?.stepMicros ?? 0);
    const capacity = lobby.ownCapacity;
    return {
      version: this.#version,
      urls: this.#urls(),
      room: roomOf({ cores: availableParallelism(), stepMicros, capacity }),
      matches: own.length,
      max: capacity.max,
      drains: this.drains,
      leased: this.#membership.hasLease,
      wanted: this.wanted,
    };
  }

  /**
   * Ids of the matches that screens of this node show, and of those of other nodes that phones here play.
   * @returns {number[]}
   */
  get wanted() {
    const hasPhone = (/** @type {Match} */ match) =>
      match.players.some((player) => player.connected && player.home === undefined);
    return this.#lobby.matches
      .filter((match) => this.#isWatched(match) || (match.remote && hasPhone(match)))
      .map(({ id }) => id);
  }

  /** What the other living nodes tell. @returns {(AboutNode & {node: string, lagMs?: number})[]} */
  get others() {
    return this.#membership.alive.map(({ beat, lagMs }) => ({
      node: beat.node,
      lagMs,
      ...beat.about,
    }));
  }

  /** Logs which nodes have come and gone since the last call. */
  logChanges() {
    const alive = new Set(this.others.map(({ node }) => node));
    for (const node of alive) {
      if (!this.#seen.has(node)) this.#log.info({ node }, 'a node of the fleet is there');
    }
    for (const node of this.#seen) {
      if (!alive.has(node)) this.#log.warn({ node }, 'a node of the fleet is away');
    }
    this.#seen = alive;
  }

  /** Tells whether another node shows a match or has a phone that plays it. @param {number} id */
  isWanted(id) {
    return this.#membership.alive.some(({ beat }) => beat.about.wanted.includes(id));
  }

  /**
   * The living nodes that take matches of a game, most room first.
   * @param {import('./fleet-games.js').Version} game
   * @returns {{node: string, room: number}[]}
   */
  ranking(game) {
    const self = { node: this.#membership.node, ...this.self };
    const takes = (/** @type {{node: string, drains: boolean}} */ { node, drains }) =>
      !drains && this.#games.has(node, game);
    return byRoom([self, ...this.others].filter(takes));
  }

  /** Describes all nodes, also those that are away. @returns {NodeState[]} */
  get all() {
    const self = this.#membership.node;
    const known = new Map(this.others.map((about) => [about.node, about]));
    known.set(self, { node: self, ...this.self });
    return this.#membership.members.sort().map((node) => ({
      node,
      alive: known.has(node),
      self: node === self,
      ...known.get(node),
    }));
  }

  /** Addresses for phones of all living nodes. @returns {string[]} */
  get urls() {
    return [...this.#urls(), ...this.others.flatMap(({ urls }) => urls)];
  }

  /** The first of the living nodes, by name. @returns {string} */
  get first() {
    const names = [this.#membership.node, ...this.others.map(({ node }) => node)];
    return names.sort()[0];
  }
  /** Whether that is this node. */
  get isFirst() {
    return this.first === this.#membership.node;
  }
}
