/**
 * Randomness that differs in every child. OpenSSL sees by itself that it was forked; what is kept in
 * JavaScript or in V8 does not, and would come out the same in each of them.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** How many UUIDs node:crypto makes at a time (lib/internal/crypto/random.js). */
const UUID_BATCH = 128;

/**
 * Puts a Math.random of our own in place, since V8's can't be seeded anew: its state lives in the
 * context, and the children of one zygote would all draw the same numbers. This is sfc32 by Chris
 * Doty-Humphrey (PractRand), 53 of 64 bits of it. To be called before any other module is loaded, so
 * that compiled code already knows it.
 * @returns {(seed: ArrayBuffer) => void} seeds it with 16 bytes
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
    for (let i = 0; i < 15; i++) next(); // until every bit of the seed has reached every word
  }
  seed(crypto.randomBytes(16).buffer.slice(0, 16));
  return seed;
}

/**
 * node:crypto keeps random bytes in store for randomUUID() and randomInt().
 * @returns {() => void} uses up what is in store, so that a child begins with fresh bytes
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

  return function useUp() {
    while (uuids % UUID_BATCH !== 0) crypto.randomUUID();
    useUpIntegers();
  };
}

/** randomInt() reads its store with readUIntBE: that is where one can see how far it is. */
function useUpIntegers() {
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
