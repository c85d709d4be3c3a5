/**
 * A token bucket: `burst` uses at once, then `perSecond` on average. Bounds message rates and
 * guesses. https://en.wikipedia.org/wiki/Token_bucket
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

  /** @param {number} now ms @returns {boolean} whether one more is allowed; takes it if so */
  take(now) {
    this.#refill(now);
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** @param {number} now ms @returns {boolean} whether one more would be allowed */
  has(now) {
    this.#refill(now);
    return this.tokens >= 1;
  }

  /** @param {number} now ms @returns {boolean} whether nothing was used lately: it can be forgotten */
  full(now) {
    this.#refill(now);
    return this.tokens >= this.burst;
  }

  /** Returns one that was taken but not used. */
  giveBack() {
    this.tokens = Math.min(this.burst, this.tokens + 1);
  }

  /** Whole seconds until one more is allowed, as of the last call with a time. */
  get secondsUntilOne() {
    return Math.max(0, Math.ceil((1 - this.tokens) / this.perSecond));
  }
}
