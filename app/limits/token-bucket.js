/**
 * A token bucket: allows `burst` uses at once, then `perSecond` on average.
 * https://en.wikipedia.org/wiki/Token_bucket
 */
export class TokenBucket {
  /** @param {{perSecond: number, burst: number}} rate @param {number} now ms, any steady clock */
  constructor({ perSecond, burst }, now) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.tokens = burst;
    this.at = now;
  }

  /** @param {number} now ms */
  #refill(now) {
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.at) / 1000) * this.perSecond);
    this.at = now;
  }

  /**
   * Takes tokens if there are enough.
   * @param {number} now ms @param {number} [count]
   * @returns {boolean} whether there were enough
   */
  take(now, count = 1) {
    this.#refill(now);
    if (this.tokens < count) return false;
    this.tokens -= count;
    return true;
  }

  /** Tells whether there is a token. @param {number} now ms @returns {boolean} */
  has(now) {
    this.#refill(now);
    return this.tokens >= 1;
  }

  /** Tells whether the bucket is full, so that it can be forgotten. @param {number} now ms @returns {boolean} */
  full(now) {
    this.#refill(now);
    return this.tokens >= this.burst;
  }

  /** Returns a token that was taken but not used. */
  giveBack() {
    this.tokens = Math.min(this.burst, this.tokens + 1);
  }

  /** Whole seconds from the last call with a time until there is a token. */
  get secondsUntilOne() {
    return Math.max(0, Math.ceil((1 - this.tokens) / this.perSecond));
  }
}
