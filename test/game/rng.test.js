import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomWord, seedRandom } from '../../app/game/rng.js';

/** Computes sfc32 as published by its author, with BigInt. @param {number} seed */
function* reference(seed) {
  const limit = 1n << 32n;
  let [a, b, c, counter] = [0n, 0n, BigInt(seed), 1n];
  for (;;) {
    const sum = (a + b + counter) % limit;
    counter = (counter + 1n) % limit;
    a = b ^ (b >> 9n);
    b = (c + (c << 3n)) % limit;
    c = (((c << 21n) | (c >> 11n)) % limit) + sum;
    c %= limit;
    yield Number(sum);
  }
}

test('the generator is sfc32, 12 rounds after seeding', () => {
  for (const seed of [0, 1, 12345, 0xffffffff]) {
    const words = new Uint32Array(4);
    seedRandom(words, 0, seed);
    const numbers = reference(seed);
    for (let i = 0; i < 12; i++) numbers.next();
    for (let i = 0; i < 1000; i++) assert.equal(randomWord(words, 0), numbers.next().value);
  }
});
