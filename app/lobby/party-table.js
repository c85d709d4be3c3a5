/** The points of a party. Bots get none. */
import { placeOf } from '../match/results.js';

/** Points of the first places; all others who have played get one. */
const PLACE_POINTS = Object.freeze([5, 3, 2]);
const OTHER_POINTS = 1;

/** @typedef {{player: number, name: string, color: string, points: number}} Line */

export class PartyTable {
  /** @type {Map<number, Line>} */
  #lines;

  /** @param {Line[]} [lines] */
  constructor(lines = []) {
    this.#lines = new Map(lines.map((line) => [line.player, line]));
  }

  /** Most points first. @returns {Line[]} */
  get lines() {
    return [...this.#lines.values()].sort((a, b) => b.points - a.points);
  }

  /** Returns a player's points. @param {number} player id @returns {number} */
  pointsOf(player) {
    return this.#lines.get(player)?.points ?? 0;
  }

  /** Adds the points of a game. @param {Pick<import('../match/match.js').End, 'results' | 'teams'>} scores */
  add(scores) {
    for (const result of scores.results) {
      const { player, name, color } = result;
      if (player === null) continue;
      const points = PLACE_POINTS[placeOf(result, scores) - 1] ?? OTHER_POINTS;
      this.#lines.set(player, { player, name, color, points: this.pointsOf(player) + points });
    }
  }
}
