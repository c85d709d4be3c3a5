/** Limits login attempts with wrong passwords: per client address, and for all addresses together. */
import { PitvError } from '../errors.js';
import { BucketMap } from '../limits/bucket-map.js';
import { clientKey } from '../limits/client-key.js';
import { LIMITS } from '../limits/table.js';
import { TokenBucket } from '../limits/token-bucket.js';

/** @typedef {import('../limits/table.js').Rate} Rate */

export class LoginAttempts {
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

  /** The number of addresses that sent wrong passwords recently. The limit for all addresses bounds it. */
  get addressCount() {
    return this.#byClient.size;
  }

  /**
   * Counts an attempt. Call this before checking the password.
   * @param {string} address of the client
   * @returns {() => void} discounts the attempt; call it if the password was right or was not checked
   * @throws {PitvError} PITV_LOGIN_LOCKED
   */
  count(address) {
    const now = this.clock();
    const client = clientKey(address);
    if (!this.#byClient.has(client, now)) {
      throw lockedError('from this address', this.#byClient.secondsUntilOne(client));
    }
    if (!this.#all.take(now)) {
      throw lockedError('from all addresses', this.#all.secondsUntilOne);
    }
    this.#byClient.take(client, now);
    return () => {
      this.#byClient.giveBack(client);
      this.#all.giveBack();
    };
  }
}

/** @param {string} origin @param {number} retryAfterS */
function lockedError(origin, retryAfterS) {
  return new PitvError(
    'PITV_LOGIN_LOCKED',
    `Too many wrong passwords ${origin}. Try again in ${retryAfterS} s, or use the admin token.`,
    { details: { retryAfterS } },
  );
}
