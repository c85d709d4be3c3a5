/** The nodes of a fleet: sends what this one tells about itself with its beats, and knows what the others have told. */
import { availableParallelism } from 'node:os';
import { messageOf } from '../errors.js';
import { noteStart, readMembers } from './members.js';
import { BEAT_MS } from './membership.js';
import { PROTOCOL, parseBeat, senderOf } from './wire.js';

export const BEATS = 'pitv.beat';
/** Interval at which the members are read. */
const MEMBERS_MS = 5000;
const MAX_STRANGERS = 256;
/** Time until another server may be left because it does not reach a node. */
const DETOUR_MS = 5000;
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
  #isReading = false;
  /** The members do not have this node: it was removed while it did not answer, or the servers have lost them. */
  #isForgotten = false;
  #nextDetour = 0;
  /** The matches whose frames this node has asked for. */
  #wanted = '';
  /** The other nodes that were alive at the last beat. @type {Set<string>} */
  #seen = new Set();
  /** Nodes of another protocol, or with the name of this one, that were logged. @type {Set<string>} */
  #strangers = new Set();
  #afterBeat = () => {};
  /** This node takes no more matches. */
  drains = false;

  /** @param {import('./fleet.js').Fleet} fleet */
  constructor(fleet) {
    this.#fleet = fleet;
  }

  // Beats.

  /** Begins to send and receive beats. @param {() => void} afterBeat is called after each beat that was sent */
  open(afterBeat) {
    this.#afterBeat = afterBeat;
    const { connection, membership } = this.#fleet;
    this.#fleet.every(BEAT_MS, () => this.beat());
    this.#fleet.every(MEMBERS_MS, () => this.#readMembers());
    connection.onReconnect = () => this.beat(); // before the others miss this node
    connection.subscribe(BEATS, ({ data }) => this.#receive(data));
    membership.listen();
    this.beat();
  }

  /** Sends a beat, and does what is due with each. */
  beat() {
    const { connection, membership, guard } = this.#fleet;
    const about = this.self;
    this.#wanted = String(about.wanted);
    connection.publish(BEATS, JSON.stringify({ ...membership.beat(about), protocol: PROTOCOL }));
    this.#logChanges();
    guard.check();
    this.#takeDetour();
    this.#afterBeat();
  }

  /** Uses the server of a node that hears one whose beats do not come: servers do not forward for each other. */
  #takeDetour() {
    const { connection, membership, log } = this.#fleet;
    const { detour } = membership;
    const now = membership.clock();
    if (!detour || now < this.#nextDetour || detour.about.server === connection.address) return;
    this.#nextDetour = now + DETOUR_MS;
    const { missed, through, about } = detour;
    log.warn(
      { missed, through },
      'the server of this node does not reach another node; using another one',
    );
    connection.leaveServer(about.server);
  }

  /** Tells the others at once which frames this node needs, if that has changed. */
  wantedChanged() {
    if (String(this.wanted) !== this.#wanted) this.beat();
  }

  /** @param {Uint8Array} bytes */
  #receive(bytes) {
    const { node, membership } = this.#fleet;
    const beat = parseBeat(bytes);
    if (!beat || beat.node === node) this.#noteStranger(bytes);
    else if (!membership.members.includes(beat.node)) void this.#readMembers();
    else this.#receiveBeat(beat);
  }

  /** @param {import('./membership.js').Beat} beat of a member */
  #receiveBeat(beat) {
    const { membership, guard, tables, log } = this.#fleet;
    const isNewStart = membership.isNewStart(beat);
    if (!membership.receive(beat)) return;
    if (isNewStart) tables.repeat(); // it has missed changes that were sent and not written when it read
    if (!guard.checkStart()) return;
    this.beat();
    noteStart(tables.members, membership.node, membership.start).catch((error) => {
      log.debug({ error: messageOf(error) }, 'a new start was not noted');
    });
  }

  /** Logs once that a node has another protocol, or the name of this one. @param {Uint8Array} bytes of its beat */
  #noteStranger(bytes) {
    const { node, log } = this.#fleet;
    const sender = senderOf(bytes);
    if (!sender || this.#strangers.has(sender.node) || this.#strangers.size === MAX_STRANGERS) {
      return;
    }
    const isTwin = sender.node === node;
    if (sender.protocol === PROTOCOL && !isTwin) return;
    this.#strangers.add(sender.node);
    if (isTwin) log.error({ node }, 'another TV has the name of this one: change --fleet-node');
    else log.warn(sender, 'a node of another version is not part of this fleet');
  }

  /** Learns which nodes belong to the fleet, and whether its servers have lost the tables. */
  async #readMembers() {
    if (this.#isReading) return;
    this.#isReading = true;
    const { membership, tables, log } = this.#fleet;
    try {
      const members = await readMembers(tables.members);
      const isMember = members.has(membership.node);
      if (isMember) membership.setMembers(members);
      else if (!this.#isForgotten) log.error('the fleet does not know this node: restart its TV');
      this.#isForgotten = !isMember;
      await tables.check();
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'the members or tables of the fleet cannot be read');
    } finally {
      this.#isReading = false;
    }
  }

  /** Logs which nodes have come and gone since the last call. */
  #logChanges() {
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

  // What the nodes tell.

  /** What this node tells about itself. @returns {AboutNode} */
  get self() {
    const { connection, lobby, matches, membership, tv } = this.#fleet;
    const { own } = matches;
    const { max, running } = lobby.ownCapacity;
    // The cores that the matches leave free, but no more than the matches for which there is memory.
    const micros = own.reduce((sum, { worker }) => sum + (worker.mailbox?.stepMicros ?? 0), 0);
    const freeCores = availableParallelism() - (micros * TICK_HZ) / MICROS_PER_S;
    return {
      version: this.#fleet.version,
      urls: tv.urls(),
      room: Math.min(freeCores, max - running),
      matches: own.length,
      max,
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

  /** This node and the other living ones. */
  get #living() {
    return [{ node: this.#fleet.node, lagMs: undefined, ...this.self }, ...this.others];
  }

  /**
   * The living nodes that take matches of a game, most room first, then by name: all nodes sort alike. If all of them
   * drain, they take matches nevertheless.
   * @param {import('./fleet-games.js').Version} game @returns {{node: string, room: number, drains: boolean}[]}
   */
  ranking(game) {
    const { games } = this.#fleet;
    const able = this.#living.filter(({ node }) => games.has(node, game));
    const willing = able.filter(({ drains }) => !drains);
    const nodes = willing.length > 0 ? willing : able;
    return nodes.sort((a, b) => b.room - a.room || (a.node < b.node ? -1 : 1));
  }

  /** Describes all nodes, also those that are away. @returns {NodeState[]} */
  get all() {
    const { node: self, membership } = this.#fleet;
    const known = new Map(this.#living.map((about) => [about.node, about]));
    return membership.members.sort().map((node) => ({
      node,
      alive: known.has(node),
      self: node === self,
      ...known.get(node),
    }));
  }

  /** Addresses for phones of all living nodes. @returns {string[]} */
  get urls() {
    return this.#living.flatMap(({ urls }) => urls);
  }

  /** The first of the living nodes, by name. @returns {string} */
  get first() {
    return this.#living.map(({ node }) => node).sort()[0];
  }
}
