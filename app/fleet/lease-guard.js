/**
 * Shows and runs the matches of this node only while it holds the lease: hides them at once without it, and stops them
 * after a while. With the lease, takes over those of dead nodes. The node with most room is first, then the others in
 * turn.
 */
import { messageOf } from '../errors.js';
import { gameOf } from './match-records.js';

/** Time without a lease after which the matches of this node stop. */
const PAUSE_MS = 1000;
/** Time that each node with more room has to take over a match. */
const TURN_MS = 400;
/** Time until another attempt. */
const AGAIN_MS = 500;
/** How long a node that holds the lease stays in a start that others have declared dead. */
const RENEW_MS = 15_000;

export class LeaseGuard {
  #fleet;
  #lostAt = Infinity;
  /** Since when others have declared the start of this node dead, ms. */
  #declaredAt = Infinity;
  /** When the first node may take over a match of a dead one, by match, ms. @type {Map<number, number>} */
  #turnsFrom = new Map();
  /** Whether this node is cut off from most of its fleet. */
  isCutOff = false;
  /** Whether it may have missed changes while it was. */
  isBehind = false;

  /** @param {import('./fleet.js').Fleet} fleet */
  constructor(fleet) {
    this.#fleet = fleet;
  }

  /** Tells whether a match of this node may be shown. @param {number} id */
  mayShow(id) {
    const { isOpen, matches, membership, partition } = this.#fleet;
    if (!isOpen || matches.isPrivate(id)) return true;
    if (partition === 'continue' && this.isCutOff) return true;
    return membership.hasLease && matches.isConfirmed(id);
  }

  /** Call it after each beat that was sent. */
  check() {
    const { membership, matches } = this.#fleet;
    const now = membership.clock();
    if (!membership.hasLease || membership.isAlone) void this.#askServers(now);
    if (!membership.hasLease) {
      this.#lostAt = Math.min(this.#lostAt, now);
      if (!this.isCutOff && now - this.#lostAt > PAUSE_MS) this.#pause();
      return;
    }
    const wasLost = this.#lostAt !== Infinity;
    this.#lostAt = Infinity;
    if (this.isCutOff || (wasLost && membership.isAlone)) void this.#resume();
    else if (!this.isBehind) void matches.resume(); // also those whose worker had not stopped in time
    this.#takeOver(now);
  }

  /** Asks the servers whether other nodes are there. @param {number} now ms */
  async #askServers(now) {
    const { connection, membership, log } = this.#fleet;
    try {
      membership.noteServers(now, await connection.askServers());
    } catch (error) {
      membership.noteServers(now);
      log.debug({ error: messageOf(error) }, 'the servers do not say which nodes are there');
    }
  }

  /**
   * Begins a new start when others have declared this one dead. While the rest of the fleet gives it the lease, that
   * has time: matches are hidden until their checkpoints are written, and JetStream accepts no writes for some seconds
   * when a server comes back that was cut off.
   * Call it after each beat that has come.
   * @returns {boolean} whether this node has begun a new start
   */
  checkStart() {
    const { membership, matches, log } = this.#fleet;
    const now = membership.clock();
    this.#declaredAt = membership.isDeclaredDead ? Math.min(this.#declaredAt, now) : Infinity;
    if (this.#declaredAt === Infinity) return false;
    const mayWait = membership.hasLease && !membership.isAlone && matches.own.length > 0;
    if (mayWait && (now - this.#declaredAt < RENEW_MS || !matches.isSaving)) return false;
    this.#declaredAt = Infinity;
    membership.startAgain();
    // A node that joins is declared dead while its TV still starts. It has no matches then, and nothing to warn of.
    if (matches.own.length > 0) {
      log.warn('other nodes of the fleet have missed this one; its matches are checked');
    }
    matches.confirmAll();
    return true;
  }

  #pause() {
    const { counters, lobby, log, matches, partition } = this.#fleet;
    this.isCutOff = true;
    this.isBehind = true;
    counters.cutOffs++;
    lobby.emit('change');
    log.warn({ partition }, 'this node is cut off from most of its fleet');
    if (partition === 'pause') void matches.pause();
  }

  async #resume() {
    const { lobby, log, matches, membership } = this.#fleet;
    this.isCutOff = false;
    lobby.emit('change');
    log.info(
      membership.isAlone
        ? 'no other node of the fleet is there; this one goes on with all matches'
        : 'this node is connected to its fleet again',
    );
    await this.#fleet.catchUp();
    this.isBehind = this.isCutOff;
    await matches.resume();
  }

  /** Takes over the matches whose node is dead, when it is this node's turn. @param {number} now ms */
  #takeOver(now) {
    const { lobby, matches, membership, tables, nodes, node: self } = this.#fleet;
    for (const [, record] of tables.entries('matches')) {
      const { id, node, start, end } = record; // a change may have been missed
      if (end || lobby.find(id)?.isOwn || !membership.isDead(node, start)) {
        this.#turnsFrom.delete(id);
        continue;
      }
      const from = this.#turnsFrom.get(id) ?? now;
      this.#turnsFrom.set(id, from);
      const rank = nodes.ranking(gameOf(record)).findIndex((each) => each.node === self);
      if (rank < 0 || now < from + rank * TURN_MS) continue;
      this.#turnsFrom.set(id, now + AGAIN_MS);
      void matches.takeOver(record, 'dead');
    }
  }
}
