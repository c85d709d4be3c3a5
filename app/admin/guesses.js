/**
 * How often a password may be tried: by one address, and by all together, so that neither guessing
 * nor a flood of logins gets anywhere. A right one does not count.
 */
import { PitvError } from '../errors.js';
import { BucketMap } from '../limits/bucket-map.js';
import { clientKey } from '../limits/client-key.js';
import { LIMITS } from '../limits/table.js';
import { TokenBucket } from '../limits/token-bucket.js';

/** @typedef {import('../limits/table.js').Rate} Rate */

export class Guesses {
  #byClient;
  #all;

  /** @param {{one?: Rate, all?: Rate, clock?: () => number}} [options] clock in ms */
  constructor({
    one = LIMITS.wrongPasswords.value,
    all = LIMITS.wrongPasswordsOfAll.value,
    clock = () => performance.now(),
  } = {}) {
    this.clock = clock;
    this.#byClient = new BucketMap(one);
    this.#all = new TokenBucket(all, clock());
  }

  /** Addresses with something against them; what all may do bounds how many that can be. */
  get addressesKnown() {
    return this.#byClient.size;
  }

  /**
   * To be called before the password is looked at.
   * @param {string} address from where
   * @returns {() => void} to be called when it did not count after all
   * @throws {PitvError} PITV_LOGIN_LOCKED
   */
  take(address) {
    const now = this.clock();
    const client = clientKey(address);
    if (!this.#byClient.has(client, now)) {
      throw locked('from here', this.#byClient.secondsUntilOne(client));
    }
    if (!this.#all.take(now)) throw locked('from everywhere', this.#all.secondsUntilOne);
    this.#byClient.take(client, now);
    return () => {
      this.#byClient.giveBack(client);
      this.#all.giveBack();
    };
  }
}

/** @param {string} where @param {number} retryAfterS */
function locked(where, retryAfterS) {
  return new PitvError(
    'PITV_LOGIN_LOCKED',
    `Too many wrong passwords ${where}. Try again in ${retryAfterS} s, or use the admin token.`,
    { details: { retryAfterS } },
  );
}
