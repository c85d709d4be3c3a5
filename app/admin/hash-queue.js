/**
 * Runs password hashes one at a time, with a short queue. Hashing uses libuv's thread pool, which also reads files;
 * with all its threads hashing, pages would not load.
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

  /** Running and waiting hashes. */
  get length() {
    return this.#waiting;
  }

  /**
   * Runs a function after those that were queued before it.
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>} the result of `work`
   * @throws {PitvError} PITV_LOGIN_BUSY immediately when the queue is full, or what `work` throws
   */
  async run(work) {
    if (this.#waiting > this.maxWaiting) {
      throw new PitvError(
        'PITV_LOGIN_BUSY',
        'Too many logins are waiting. Try again in a moment.',
        {
          details: { retryAfterS: RETRY_AFTER_S },
        },
      );
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
