/** What a node tells about itself, and what it knows about the others. */
import { availableParallelism } from 'node:os';

const TICK_HZ = 60;
const MICROS_PER_S = 1e6;

/**
 * @typedef {import('../match/match.js').Match} Match
 * @typedef {import('./wire.js').AboutNode} AboutNode
 * @typedef {Partial<AboutNode> & {node: string, alive: boolean, self: boolean, lagMs?: number}} NodeState lagMs: time
 *   from this node to that one and back
 */

export class Nodes {
  #fleet;
  /** The other nodes that were alive at the last look. @type {Set<string>} */
  #seen = new Set();
  /** This node takes no more matches. */
  drains = false;

  /** @param {import('./fleet.js').Fleet} fleet */
  constructor(fleet) {
    this.#fleet = fleet;
  }

  /** What this node tells about itself. @returns {AboutNode} */
  get self() {
    const { connection, lobby, matches, membership, tv } = this.#fleet;
    const { own } = matches;
    const stepMicros = own.map((match) => match.worker.mailbox?.stepMicros ?? 0);
    const capacity = lobby.ownCapacity;
    return {
      version: this.#fleet.version,
      urls: tv.urls(),
      room: roomOf({ cores: availableParallelism(), stepMicros, capacity }),
      matches: own.length,
      max: capacity.max,
      drains: this.drains,
      leased: membership.hasLease,
      server: connection.address,
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
    const { lobby, tv } = this.#fleet;
    return lobby.matches
      .filter((match) => tv.isWatched(match) || (!match.isOwn && hasPhone(match)))
      .map(({ id }) => id);
  }

  /** What the other living nodes tell. @returns {(AboutNode & {node: string, lagMs?: number})[]} */
  get others() {
    return this.#fleet.membership.alive.map(({ beat, lagMs }) => ({
      node: beat.node,
      lagMs,
      ...beat.about,
    }));
  }

  /** Logs which nodes have come and gone since the last call. */
  logChanges() {
    const { log } = this.#fleet;
    const alive = new Set(this.others.map(({ node }) => node));
    for (const node of alive) {
      if (!this.#seen.has(node)) log.info({ node }, 'a node of the fleet is there');
    }
    for (const node of this.#seen) {
      if (!alive.has(node)) log.warn({ node }, 'a node of the fleet is away');
    }
    this.#seen = alive;
  }

  /**
   * The living nodes that take matches of a game, most room first, then by name: all nodes sort alike. If all of them
   * drain, they take matches nevertheless.
   * @param {import('./fleet-games.js').Version} game @returns {{node: string, room: number, drains: boolean}[]}
   */
  ranking(game) {
    const { games, node: name } = this.#fleet;
    const all = [{ node: name, ...this.self }, ...this.others];
    const able = all.filter(({ node }) => games.has(node, game));
    const willing = able.filter(({ drains }) => !drains);
    const nodes = willing.length > 0 ? willing : able;
    return nodes.sort((a, b) => b.room - a.room || (a.node < b.node ? -1 : 1));
  }

  /** Describes all nodes, also those that are away. @returns {NodeState[]} */
  get all() {
    const { node: self, membership } = this.#fleet;
    const known = new Map(this.others.map((about) => [about.node, about]));
    known.set(self, { node: self, ...this.self });
    return membership.members.sort().map((node) => ({
      node,
      alive: known.has(node),
      self: node === self,
      ...known.get(node),
    }));
  }

  /** Addresses for phones of all living nodes. @returns {string[]} */
  get urls() {
    return [...this.#fleet.tv.urls(), ...this.others.flatMap(({ urls }) => urls)];
  }

  /** The first of the living nodes, by name. @returns {string} */
  get first() {
    const names = [this.#fleet.node, ...this.others.map(({ node }) => node)];
    return names.sort()[0];
  }
  /** Whether that is this node. */
  get isFirst() {
    return this.first === this.#fleet.node;
  }
}

/**
 * Computes how much room there is for further matches: the cores that the matches leave free, by the time that their
 * steps take, but no more than the matches for which there is memory.
 * @param {object} now
 * @param {number} now.cores
 * @param {number[]} now.stepMicros duration of a step of each running match
 * @param {{max: number, running: number}} now.capacity see capacity.js
 * @returns {number} 0 or less: none
 */
function roomOf({ cores, stepMicros, capacity: { max, running } }) {
  const used = stepMicros.reduce((sum, micros) => sum + (micros * TICK_HZ) / MICROS_PER_S, 0);
  return Math.min(cores - used, max - running);
}
