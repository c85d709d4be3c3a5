/**
 * Gives every child different random numbers. OpenSSL detects a fork. Generators and caches in JavaScript and V8 do not
 * and would return the same numbers in all children.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Number of UUIDs in node:crypto's cache (lib/internal/crypto/random.js). */
const UUID_BATCH = 128;

/**
 * Replaces Math.random by a generator that can be seeded, which V8's cannot: the children of one zygote would all get
 * the same numbers. The generator is sfc32 by Chris Doty-Humphrey (PractRand); a number uses 53 of 64 bits. Call it
 * before loading any other module, so that compiled code calls the new function.
 * @returns {(seed: ArrayBuffer) => void} seeds the generator with 16 bytes
 */
export function replaceMathRandom() {
  const state = new Int32Array(4);

  function next() {
    const a = state[0];
    const b = state[1];
    const c = state[2];
    const sum = (a + b + state[3]) | 0;
    state[3] = (state[3] + 1) | 0;
    state[0] = b ^ (b >>> 9);
    state[1] = (c + (c << 3)) | 0;
    state[2] = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  Math.random = function random() {
    return ((next() >>> 5) * 0x4000000 + (next() >>> 6)) / 0x20000000000000;
  };
  /** @param {ArrayBuffer} bytes */
  function seed(bytes) {
    state.set(new Int32Array(bytes));
    for (let i = 0; i < 15; i++) next(); // until every bit of the seed affects every word
  }
  seed(crypto.randomBytes(16).buffer.slice(0, 16));
  return seed;
}

/**
 * Counts the use of node:crypto's cache of random bytes for randomUUID().
 * @returns {() => void} empties the caches of randomUUID() and randomInt(), so that a child starts with new bytes
 */
export function watchEntropyCache() {
  let uuids = 0;
  /** @param {Record<string, any>} holder @param {string} name */
  function count(holder, name) {
    const original = holder[name];
    if (typeof original !== 'function') return;
    const counted = {
      /** @param {{disableEntropyCache?: boolean}} [options] */
      [name](options) {
        if (!options?.disableEntropyCache) uuids++;
        return Reflect.apply(original, this, arguments);
      },
    };
    holder[name] = counted[name];
  }
  count(crypto, 'randomUUID');
  count(crypto, 'randomUUIDv7');
  count(Object.getPrototypeOf(globalThis.crypto), 'randomUUID');
  syncBuiltinESMExports();

  return function drainEntropyCache() {
    while (uuids % UUID_BATCH !== 0) crypto.randomUUID();
    drainIntegerCache();
  };
}

/** Empties the cache of randomInt(). It reads the cache by readUIntBE(), which shows the position in it. */
function drainIntegerCache() {
  const { readUIntBE } = Buffer.prototype;
  let left = 0;
  /** @this {Buffer} @param {number} offset @param {number} length */
  Buffer.prototype.readUIntBE = function (offset, length) {
    left = this.length - offset - length;
    return readUIntBE.call(this, offset, length);
  };
  try {
    do crypto.randomInt(2);
    while (left > 0);
  } finally {
    Buffer.prototype.readUIntBE = readUIntBE;
  }
}
