/** The join code of the TV, and the limits on wrong guesses. */
import { randomInt } from 'node:crypto';
import { PitvError } from '../errors.js';
import { BucketMap } from '../limits/bucket-map.js';
import { clientKey, networkKey } from '../limits/client-key.js';
import { GuessLimit } from '../limits/guess-limit.js';
import { LIMITS } from '../limits/table.js';
import { sameSecret } from './tokens.js';

/** Without vowels, so that no words result, and without characters that look alike (0 O, 1 I L, U V). */
const ALPHABET = 'BCDFGHJKMNPQRSTWXYZ23456789';
const LENGTH = 5; // 27^5 = 14 million codes
export const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);
/** A code for the QR code, see JoinCode. */
const LINK_CODE = new RegExp(`^[${ALPHABET}]{${2 * LENGTH}}$`);

/** Makes a join code. @returns {string} */
export function randomCode() {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

export class JoinCode {
  #guesses;
  #isRandom;
  /** Machines give themselves any number of local IPv6 addresses: their network has a common limit, too. */
  #byNetwork = new BucketMap(LIMITS.wrongCodesPerNetwork.value);

  /** @param {{code?: string, clock?: () => number}} [options] clock in ms */
  constructor({ code, clock = () => performance.now() } = {}) {
    this.#isRandom = code === undefined;
    /** For people who type it. */
    this.code = code ?? randomCode();
    /**
     * For the QR code: the code and as many further letters. Nobody can guess it (27^10 = 2 * 10^14), so no limit
     * applies to it, and wrong guesses at the code never lock out those who scan.
     */
    this.linkCode = this.code + randomCode();
    this.clock = clock;
    this.#guesses = new GuessLimit({
      one: LIMITS.wrongCodes.value,
      all: LIMITS.wrongCodesOfAll.value,
      maxKnown: LIMITS.rememberedAddresses.value,
      createError: lockedError,
    });
    this.wrong = 0;
  }

  /**
   * Continues with the code of the last start. A random code was forgotten if that was long ago; of a given one, links
   * that were printed stay valid.
   * @param {string} linkCode anything else than a code is ignored @param {boolean} [isRecent]
   */
  restore(linkCode, isRecent = true) {
    const isWanted = this.#isRandom ? isRecent : linkCode.startsWith(this.code);
    if (!isWanted || !LINK_CODE.test(linkCode)) return;
    this.code = linkCode.slice(0, LENGTH);
    this.linkCode = linkCode;
  }

  /**
   * Checks a code. After too many wrong codes even the right one is refused for a while, but not that of the link.
   * @param {unknown} guess upper or lower case @param {string} address of the client
   * @throws {PitvError} PITV_CODE_WRONG, PITV_CODE_LOCKED
   */
  check(guess, address) {
    const client = clientKey(address);
    const network = networkKey(address);
    const given = typeof guess === 'string' && guess.length <= 16 ? guess.trim().toUpperCase() : '';
    if (sameSecret(given, this.linkCode)) return this.#guesses.remember(client);
    const now = this.clock();
    if (!this.#guesses.isKnown(client) && !this.#byNetwork.has(network, now)) throw lockedError();
    const discount = this.#guesses.count(client, now);
    // In a fleet, the link may be that of another TV with the same code.
    const typed = given.length === this.linkCode.length ? given.slice(0, LENGTH) : given;
    if (sameSecret(typed, this.code)) {
      discount();
      return this.#guesses.remember(client);
    }
    this.wrong++;
    if (network !== client) this.#byNetwork.take(network, now);
    throw new PitvError('PITV_CODE_WRONG', 'That is not the code on the TV.');
  }
}

const lockedError = () =>
  new PitvError(
    'PITV_CODE_LOCKED',
    'Too many wrong codes. Scan the QR code on the TV, or wait a minute and type the code.',
  );
