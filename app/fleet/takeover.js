/** Takes over the matches of dead nodes: the node with most room first, then the others in turn. */
import { messageOf } from '../errors.js';

/** Time that each node with more room has to take over a match. */
const TURN_MS = 400;
/** Pause before another attempt. */
const AGAIN_MS = 500;

/** @typedef {import('./match-records.js').MatchRecord} MatchRecord */

export class Takeover {
  #fleet;
  /** When an owner was first seen dead, by match, ms. @type {Map<number, number>} */
  #deadSince = new Map();
  /** When the next attempt may begin, by match, ms. @type {Map<number, number>} */
  #nextTry = new Map();

  /** @param {import('./fleet.js').Fleet} fleet */
  constructor(fleet) {
    this.#fleet = fleet;
  }

  /** Takes over the matches whose node is dead, when it is this node's turn. */
  check() {
    const now = performance.now();
    const { matches, nodes, node: self } = this.#fleet;
    for (const record of matches.records) {
      const { id } = record;
      if (!this.#isOrphan(record)) {
        this.#deadSince.delete(id);
        continue;
      }
      const since = this.#deadSince.get(id) ?? now;
      this.#deadSince.set(id, since);
      const game = { id: record.game, hash: record.hash };
      const rank = nodes.ranking(game).findIndex(({ node }) => node === self);
      const isTurn = rank >= 0 && now - since >= rank * TURN_MS;
      if (isTurn && now >= (this.#nextTry.get(id) ?? 0)) void this.take(record, 'dead');
    }
  }

  /** @param {MatchRecord} record */
  #isOrphan({ id, node, start, end }) {
    const { matches, membership } = this.#fleet;
    return !end && !matches.runs(id) && membership.isDead(node, start);
  }

  /**
   * Takes over a match.
   * @param {MatchRecord} record @param {import('./fleet-counters.js').TakeoverReason} reason
   * @returns {Promise<boolean>} whether it runs here now
   */
  async take(record, reason) {
    const { matches, counters, log } = this.#fleet;
    const { id, node } = record;
    const began = performance.now();
    try {
      if (!(await matches.takeOver(record))) return false;
      const ms = Math.round(performance.now() - began);
      counters.takeovers[reason]++;
      log.warn({ match: id, from: node, reason, ms }, 'a match was taken over');
      return true;
    } catch (error) {
      log.warn({ match: id, error: messageOf(error) }, 'a match was not taken over');
      this.#nextTry.set(id, performance.now() + AGAIN_MS);
      return false;
    }
  }
}
