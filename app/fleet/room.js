/** How much room a node has for further matches. */

const TICK_HZ = 60;
const MICROS_PER_S = 1e6;

/**
 * Computes the room: the cores that the matches leave free, by the time that their steps take, but no more than the
 * matches for which there is memory.
 * @param {object} now
 * @param {number} now.cores
 * @param {number[]} now.stepMicros duration of a step of each running match
 * @param {{max: number, running: number}} now.capacity see capacity.js
 * @returns {number} 0 or less: none
 */
export function roomOf({ cores, stepMicros, capacity: { max, running } }) {
  const used = stepMicros.reduce((sum, micros) => sum + (micros * TICK_HZ) / MICROS_PER_S, 0);
  return Math.min(cores - used, max - running);
}

/**
 * Sorts nodes by their room, most first; nodes with equal room by name, so that all nodes sort alike.
 * @template {{node: string, room: number}} T @param {T[]} nodes @returns {T[]}
 */
export const byRoom = (nodes) =>
  [...nodes].sort((a, b) => b.room - a.room || (a.node < b.node ? -1 : 1));
