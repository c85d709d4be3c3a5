/** Keeps a token bucket per client, for a bounded number of clients. */
import { LIMITS } from './table.js';
import { TokenBucket } from './token-bucket.js';

export class BucketMap {
  /** The least recently used first. @type {Map<string, TokenBucket>} */
  #buckets = new Map();

  /** @param {import('./rows.js').Rate} rate of each bucket @param {number} [max] buckets */
  constructor(rate, max = LIMITS.rememberedAddresses.value) {
    this.rate = rate;
    this.max = max;
  }

  /** The number of remembered clients. */
  get size() {
    return this.#buckets.size;
  }

  /** Tells whether a client's bucket has a token. @param {string} key @param {number} now ms @returns {boolean} */
  has(key, now) {
    return this.#buckets.get(key)?.has(now) ?? true;
  }

  /**
   * Takes a token if there is one.
   * @param {string} key @param {number} now ms @returns {boolean} whether there was one
   */
  take(key, now) {
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.rate, now);
    this.#buckets.delete(key);
    for (const [oldest, unused] of this.#buckets) {
      if (this.#buckets.size < this.max && !unused.full(now)) break;
      this.#buckets.delete(oldest);
    }
    this.#buckets.set(key, bucket);
    return bucket.take(now);
  }

  /** Returns a token that was taken but not used. @param {string} key */
  giveBack(key) {
    this.#buckets.get(key)?.giveBack();
  }

  /** Returns the time until there is a token. @param {string} key @returns {number} seconds */
  secondsUntilOne(key) {
    return this.#buckets.get(key)?.secondsUntilOne ?? 0;
  }
}
