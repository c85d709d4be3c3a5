/**
 * Limits wrong guesses at a secret: per client, and for all clients together. The common limit does not apply to
 * clients that have given the right secret before, nor to this machine. An attacker with many addresses therefore
 * cannot lock them out.
 */
import { BucketMap } from './bucket-map.js';
import { isThisMachine } from './client-key.js';
import { TokenBucket } from './token-bucket.js';

/** @typedef {import('./rows.js').Rate} Rate */

export class GuessLimit {
  #byClient;
  #all;
  /** Clients that have given the right secret, the least recent first. @type {Set<string>} */
  #known = new Set();

  /**
   * @param {object} options
   * @param {Rate} options.one of each client
   * @param {Rate} options.all of all unknown clients together
   * @param {number} options.maxKnown number of clients that are remembered because they gave the right secret
   * @param {(ofAll: boolean, retryAfterS: number) => Error} options.createError makes the error of a locked client;
   *   ofAll: the common limit is the reason
   */
  constructor({ one, all, maxKnown, createError }) {
    this.#byClient = new BucketMap(one);
    this.#all = new TokenBucket(all, 0); // full from the start of the process on
    this.maxKnown = maxKnown;
    this.createError = createError;
  }

  /** The number of clients whose guesses are remembered. */
  get size() {
    return this.#byClient.size;
  }

  /** Tells whether the common limit does not apply to a client. @param {string} client */
  isKnown(client) {
    return isThisMachine(client) || this.#known.has(client);
  }

  /** Remembers a client that has given the right secret. @param {string} client */
  remember(client) {
    this.#known.delete(client);
    this.#known.add(client);
    for (const oldest of this.#known) {
      if (this.#known.size <= this.maxKnown) break;
      this.#known.delete(oldest);
    }
  }

  /**
   * Counts a guess. Call this before checking the guess.
   * @param {string} client its key @param {number} [now] ms
   * @returns {() => void} discounts the guess; call it if the guess was right or was not checked
   * @throws what createError() returns
   */
  count(client, now = performance.now()) {
    if (!this.#byClient.has(client, now)) {
      throw this.createError(false, this.#byClient.secondsUntilOne(client));
    }
    const isKnown = this.isKnown(client);
    if (!isKnown && !this.#all.take(now)) throw this.createError(true, this.#all.secondsUntilOne);
    this.#byClient.take(client, now);
    return () => {
      this.#byClient.giveBack(client);
      if (!isKnown) this.#all.giveBack();
    };
  }
}
