/** The join code that a phone needs, and the lock that makes guessing it hopeless. */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { PitvError } from './errors.js';
import { TokenBucket } from './limits/token-bucket.js';

/** No vowels, so no words; nothing that looks like something else (0 O, 1 I L, U V). */
const ALPHABET = 'BCDFGHJKMNPQRSTWXYZ23456789';
const LENGTH = 5; // 27^5 = 14 million codes

/** Wrong guesses an address may make: a few typing errors at once, then one in six seconds. */
const GUESSES = { perSecond: 1 / 6, burst: 10 };
/** Addresses remembered; beyond that the ones with nothing against them are forgotten. */
const ADDRESSES_MAX = 10_000;

/** @returns {string} */
export function randomCode() {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** @param {string} text */
const digest = (text) => createHash('sha256').update(text).digest();

/** @param {string} a @param {string} b @returns {boolean} in a time that tells nothing about either */
export const sameSecret = (a, b) => timingSafeEqual(digest(a), digest(b));

/**
 * One IPv6 subscriber has a whole /64 to guess from, so it counts as one address.
 * @param {string} address
 */
export function guesserOf(address) {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');
  if (!plain.includes(':')) return plain;
  const [head, tail] = plain.split('::');
  const groups = head.split(':').filter(Boolean);
  const after = tail === undefined ? [] : tail.split(':').filter(Boolean);
  while (groups.length + after.length < 8) groups.push('0');
  return [...groups, ...after].slice(0, 4).join(':');
}

export class JoinCode {
  /** @type {Map<string, TokenBucket>} */
  #guesses = new Map();

  /** @param {{code?: string, clock?: () => number}} [options] clock in ms */
  constructor({ code = randomCode(), clock = () => performance.now() } = {}) {
    this.code = code;
    this.clock = clock;
    this.wrong = 0;
  }

  /** Addresses with something against them. */
  get addressesKnown() {
    return this.#guesses.size;
  }

  /**
   * @param {unknown} guess what somebody typed; small letters are fine
   * @param {string} address from where
   * @throws {PitvError} PITV_CODE_WRONG, or PITV_CODE_LOCKED after too many wrong ones: then not
   *   even the right one is looked at
   */
  check(guess, address) {
    const now = this.clock();
    const guesser = guesserOf(address);
    const bucket = this.#guesses.get(guesser);
    if (bucket && !bucket.has(now)) {
      throw new PitvError(
        'PITV_CODE_LOCKED',
        'Too many wrong codes from here. Wait a minute, then type the code on the TV.',
      );
    }
    if (
      typeof guess === 'string' &&
      guess.length <= 16 &&
      sameSecret(guess.trim().toUpperCase(), this.code)
    ) {
      return;
    }
    this.wrong++;
    this.#note(guesser, now);
    throw new PitvError('PITV_CODE_WRONG', 'That is not the code on the TV.');
  }

  /** @param {string} guesser @param {number} now */
  #note(guesser, now) {
    let bucket = this.#guesses.get(guesser);
    if (!bucket) {
      if (this.#guesses.size >= ADDRESSES_MAX) {
        for (const [each, old] of this.#guesses) if (old.full(now)) this.#guesses.delete(each);
      }
      bucket = new TokenBucket(GUESSES, now);
      this.#guesses.set(guesser, bucket);
    }
    bucket.take(now);
  }
}
