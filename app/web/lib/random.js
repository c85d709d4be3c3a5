/**
 * Creates a repeatable source of random numbers for pictures: a linear congruential generator with the
 * constants of Numerical Recipes.
 * @param {number} seed uint32
 * @returns {() => number} returns numbers in [0, 1)
 */
export function seededRandom(seed) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}
