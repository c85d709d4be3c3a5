/**
 * A seeded random number generator: sfc32 (Chris Doty-Humphrey, PractRand), 128 bits of state, integer
 * operations only. Its state is four words in the world's memory, so checkpoints contain it.
 */

/**
 * Initialises the generator.
 * @param {Uint32Array} words @param {number} at index of the first of the four words
 * @param {number} seed any number; only its low 32 bits are used
 */
export function seedRandom(words, at, seed) {
  words[at] = 0;
  words[at + 1] = 0;
  words[at + 2] = seed;
  words[at + 3] = 1;
  for (let i = 0; i < 12; i++) randomWord(words, at);
}

/** Returns the next random number. @param {Uint32Array} words @param {number} at @returns {number} uint32 */
export function randomWord(words, at) {
  const b = words[at + 1];
  const c = words[at + 2];
  const d = words[at + 3];
  const t = (words[at] + b + d) | 0;
  words[at + 3] = d + 1;
  words[at] = b ^ (b >>> 9);
  words[at + 1] = c + (c << 3);
  words[at + 2] = ((c << 21) | (c >>> 11)) + t;
  return t >>> 0;
}
