/** The join code of the TV, and the limits on wrong guesses. */
import { randomInt } from 'node:crypto';
import { PitvError } from '../errors.js';
import { BucketMap } from '../limits/bucket-map.js';
import { clientKey, networkKey } from '../limits/client-key.js';
import { LIMITS } from '../limits/table.js';
import { sameSecret } from './tokens.js';

/** Without vowels, so that no words result, and without characters that look alike (0 O, 1 I L, U V). */
const ALPHABET = 'BCDFGHJKMNPQRSTWXYZ23456789';
const LENGTH = 5; // 27^5 = 14 million codes

/** Makes a join code. @returns {string} */
export function randomCode() {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

export class JoinCode {
  #byClient = new BucketMap(LIMITS.wrongCodes.value);
  /**
   * Machines can give themselves any number of local IPv6 addresses, so the clients of such a network also have a
   * common limit.
   */
  #byNetwork = new BucketMap(LIMITS.wrongCodesPerNetwork.value);

  /** @param {{code?: string, clock?: () => number}} [options] clock in ms */
  constructor({ code = randomCode(), clock = () => performance.now() } = {}) {
    this.code = code;
    this.clock = clock;
    this.wrong = 0;
  }

  /** Addresses from which wrong codes came recently. */
  get addressesKnown() {
    return this.#byClient.size;
  }

  /**
   * Checks a code. After too many wrong codes even the right one is refused for a while.
   * @param {unknown} guess upper or lower case
   * @param {string} address of the client
   * @throws {PitvError} PITV_CODE_WRONG, PITV_CODE_LOCKED
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
