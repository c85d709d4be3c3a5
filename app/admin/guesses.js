/**
 * How often a password may be tried: by one address, and by all together, so that neither guessing
 * nor a flood of logins gets anywhere. A right one does not count.
 */
import { PitvError } from '../errors.js';
import { guesserOf } from '../join-code.js';
import { TokenBucket } from '../limits/token-bucket.js';

/** @typedef {{perSecond: number, burst: number}} Rate */

/** A few typing errors at once, then two a minute: a million guesses take a year. */
const ONE = Object.freeze({ perSecond: 1 / 30, burst: 5 });
/** A tenth of a core at most goes into hashing for strangers. */
const ALL = Object.freeze({ perSecond: 1 / 2, burst: 20 });

export class Guesses {
  /** @type {Map<string, TokenBucket>} */
  #byAddress = new Map();
  #all;

  /** @param {{one?: Rate, all?: Rate, clock?: () => number}} [options] clock in ms */
  constructor({ one = ONE, all = ALL, clock = () => performance.now() } = {}) {
    this.one = one;
    this.clock = clock;
    this.#all = new TokenBucket(all, clock());
  }

  /** Addresses with something against them; what all may do bounds how many that can be. */
  get addressesKnown() {
    return this.#byAddress.size;
  }

  /**
   * To be called before the password is looked at.
   * @param {string} address from where
   * @returns {() => void} to be called when it did not count after all
   * @throws {PitvError} PITV_LOGIN_LOCKED
   */
  take(address) {
    const now = this.clock();
    const guesser = guesserOf(address);
    const known = this.#byAddress.get(guesser);
    if (known && !known.has(now)) throw locked('from here', secondsUntilOne(known));
    if (!this.#all.take(now)) throw locked('from everywhere', secondsUntilOne(this.#all));
    for (const [each, old] of this.#byAddress) if (old.full(now)) this.#byAddress.delete(each);
    const bucket = known ?? new TokenBucket(this.one, now);
    this.#byAddress.set(guesser, bucket);
    bucket.take(now);
    return () => {
      for (const each of [bucket, this.#all]) each.tokens = Math.min(each.burst, each.tokens + 1);
    };
  }
}

/** @param {TokenBucket} bucket */
const secondsUntilOne = ({ tokens, perSecond }) => Math.ceil((1 - tokens) / perSecond);

/** @param {string} where @param {number} retryAfterS */
function locked(where, retryAfterS) {
  return new PitvError(
    'PITV_LOGIN_LOCKED',
    `Too many wrong passwords ${where}. Try again in ${retryAfterS} s, or use the admin token.`,
    { details: { retryAfterS } },
  );
}
