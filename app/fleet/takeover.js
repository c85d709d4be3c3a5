/** Takes over the matches of dead nodes: the node with most room first, then the others in turn. */
import { messageOf } from '../errors.js';

/** Time that each node with more room has to take over a match. */
const TURN_MS = 400;
/** Pause before another attempt. */
const AGAIN_MS = 500;

/** @typedef {import('./match-records.js').MatchRecord} MatchRecord */

export class Takeover {
  #node;
  #membership;
  #matches;
  #ranking;
  #log;
  #counters;
  /** When an owner was first seen dead, by match, ms. @type {Map<number, number>} */
  #deadSince = new Map();
  /** When the next attempt may begin, by match, ms. @type {Map<number, number>} */
  #nextTry = new Map();

  /**
   * @param {object} parts
   * @param {import('./membership.js').Membership} parts.membership
   * @param {import('./fleet-matches.js').FleetMatches} parts.matches
   * @param {(game: import('./fleet-games.js').Version) => string[]} parts.ranking names of the nodes that can take over
   *   matches of a game, most room first
   * @param {import('pino').Logger} parts.log
   * @param {import('./fleet-counters.js').FleetCounters} parts.counters
   */
  constructor({ membership, matches, ranking, log, counters }) {
    this.#node = membership.node;
    this.#membership = membership;
    this.#matches = matches;
    this.#ranking = ranking;
    this.#log = log;
    this.#counters = counters;
  }

  /** Takes over the matches whose node is dead, when it is this node's turn. */
  check() {
    const now = performance.now();
    for (const record of this.#matches.records) {
      const { id } = record;
      if (!this.#isOrphan(record)) {
        this.#deadSince.delete(id);
        continue;
      }
      const since = this.#deadSince.get(id) ?? now;
      this.#deadSince.set(id, since);
      const game = { id: record.game, hash: record.hash };
      const rank = this.#ranking(game).indexOf(this.#node);
      const isTurn = rank >= 0 && now - since >= rank * TURN_MS;
      if (isTurn && now >= (this.#nextTry.get(id) ?? 0)) void this.take(record, 'dead');
    }
  }

  /** @param {MatchRecord} record */
  #isOrphan({ id, node, start, end }) {
    return !end && !this.#matches.runs(id) && this.#membership.isDead(node, start);
  }

  /**
   * Takes over a match.
   * @param {MatchRecord} record @param {import('./fleet-counters.js').TakeoverReason} reason
   * @returns {Promise<boolean>} whether it runs here now
   */
  async take(record, reason) {
    const { id, node } = record;
    const began = performance.now();
    try {
      if (!(await this.#matches.takeOver(record))) return false;
      const ms = Math.round(performance.now() - began);
      this.#counters.takeovers[reason]++;
      this.#log.warn({ match: id, from: node, reason, ms }, 'a match was taken over');
      return true;
    } catch (error) {
      this.#log.warn({ match: id, error: messageOf(error) }, 'a match was not taken over');
      this.#nextTry.set(id, performance.now() + AGAIN_MS);
      return false;
    }
  }
}
