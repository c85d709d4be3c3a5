/** Token buckets by client, for a bounded number of clients. */
import { LIMITS } from './table.js';
import { TokenBucket } from './token-bucket.js';

export class BucketMap {
  /** The least recently used first. @type {Map<string, TokenBucket>} */
  #buckets = new Map();

  /** @param {import('./table.js').Rate} rate of each bucket @param {number} [max] buckets */
  constructor(rate, max = LIMITS.rememberedAddresses.value) {
    this.rate = rate;
    this.max = max;
  }

  /** The number of clients that have used something lately. */
  get size() {
    return this.#buckets.size;
  }

  /** @param {string} key @param {number} now ms @returns {boolean} whether one more would be allowed */
  has(key, now) {
    return this.#buckets.get(key)?.has(now) ?? true;
  }

  /** @param {string} key @param {number} now ms @returns {boolean} whether one more is allowed; takes it if so */
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

  /** Returns one that was taken but not used. @param {string} key */
  giveBack(key) {
    this.#buckets.get(key)?.giveBack();
  }

  /** @param {string} key @returns {number} seconds until one more is allowed */
  secondsUntilOne(key) {
    return this.#buckets.get(key)?.secondsUntilOne ?? 0;
  }
}
