/** Achievements: what the results of a match say that makes people laugh. */
import { isDraw } from '../game/frame-reader.js';

/** Until this hour of the day people should sleep. */
const WAKE_HOUR = 5;

/** @typedef {import('../match/results.js').Result} Result */
/** @typedef {Pick<import('../match/results.js').End, 'results' | 'teams'>} Scores */
/** @typedef {'close' | 'losses' | 'bots' | 'late' | 'draw'} Achievement */

/**
 * Finds the achievements of a match.
 * @param {Scores} scores @param {Result[]} people whose results count
 * @param {Result[]} losers who have lost again and again @param {number} [hour] of the day, if it is known
 * @returns {[Achievement, Result[]][]} with those who have achieved it
 */
export function findAchievements(scores, people, losers, hour = WAKE_HOUR) {
  const sides = scores.teams ?? scores.results;
  const [first, second] = [...sides].sort((a, b) => b.score - a.score);
  const winners = people.filter(({ winner }) => winner);
  const isDecided = sides.filter(({ winner }) => winner).length === 1;
  const isClose = first.winner && first.score - second?.score === 1;
  const humans = scores.results.filter(({ player }) => player !== null).length;
  const isAlone = humans === 1 && scores.results.length > 1;
  return [
    ['close', isDecided && isClose ? winners : []],
    ['losses', losers],
    ['bots', isDecided && isAlone ? winners : []],
    ['late', hour < WAKE_HOUR ? people : []],
    ['draw', isDraw(scores.results, scores.teams) ? winners : []],
  ];
}
