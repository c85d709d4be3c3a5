/** The join code that a phone needs, and the lock that makes guessing it hopeless. */
import { randomInt } from 'node:crypto';
import { PitvError } from '../errors.js';
import { BucketMap } from '../limits/bucket-map.js';
import { clientKey, networkKey } from '../limits/client-key.js';
import { LIMITS } from '../limits/table.js';
import { sameSecret } from './tokens.js';

/** No vowels, so no words; nothing that looks like something else (0 O, 1 I L, U V). */
const ALPHABET = 'BCDFGHJKMNPQRSTWXYZ23456789';
const LENGTH = 5; // 27^5 = 14 million codes

/** @returns {string} */
export function randomCode() {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

export class JoinCode {
  #byClient = new BucketMap(LIMITS.wrongCodes.value);
  /**
   * A machine can give itself any number of local IPv6 addresses, so the clients of such a network
   * have a common bound as well.
   */
  #byNetwork = new BucketMap(LIMITS.wrongCodesPerNetwork.value);

  /** @param {{code?: string, clock?: () => number}} [options] clock in ms */
  constructor({ code = randomCode(), clock = () => performance.now() } = {}) {
    this.code = code;
    this.clock = clock;
    this.wrong = 0;
  }

  /** Addresses with something against them. */
  get addressesKnown() {
    return this.#byClient.size;
  }

  /**
   * @param {unknown} guess what somebody typed; small letters are fine
   * @param {string} address from where
   * @throws {PitvError} PITV_CODE_WRONG, or PITV_CODE_LOCKED after too many wrong ones: then not
   *   even the right one is looked at
   */
  check(guess, address) {
    const now = this.clock();
    const client = clientKey(address);
    const network = networkKey(address);
    if (!this.#byClient.has(client, now) || !this.#byNetwork.has(network, now)) {
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
    this.#byClient.take(client, now);
    if (network !== client) this.#byNetwork.take(network, now);
    throw new PitvError('PITV_CODE_WRONG', 'That is not the code on the TV.');
  }
}
