/**
 * Lets one hash be made at a time, and few wait. The thread pool also reads the TV's files: were it
 * full of hashing, no page would load.
 */
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';

const RETRY_AFTER_S = 5;

export class HashQueue {
  #waiting = 0;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  constructor(maxWaiting = LIMITS.waitingLogins.value) {
    this.maxWaiting = maxWaiting;
  }

  /** Those under way or waiting. */
  get length() {
    return this.#waiting;
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   * @throws {PitvError} PITV_LOGIN_BUSY at once, when too many wait already
   */
  async run(work) {
    if (this.#waiting > this.maxWaiting) {
      throw new PitvError('PITV_LOGIN_BUSY', 'Too many are logging in. Try again in a moment.', {
        details: { retryAfterS: RETRY_AFTER_S },
      });
    }
    this.#waiting++;
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    try {
      return await result;
    } finally {
      this.#waiting--;
    }
  }
}
