/**
 * The seeded generator: sfc32 (Chris Doty-Humphrey, PractRand), 128 bits of state, integer
 * operations only. Its state is four words of the world, so a checkpoint holds it.
 */

/**
 * @param {Uint32Array} words @param {number} at where the four words start
 * @param {number} seed any number; its low 32 bits count
 */
export function seedRandom(words, at, seed) {
  words[at] = 0;
  words[at + 1] = 0;
  words[at + 2] = seed;
  words[at + 3] = 1;
  for (let i = 0; i < 12; i++) randomWord(words, at);
}

/** @param {Uint32Array} words @param {number} at @returns {number} uint32 */
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
