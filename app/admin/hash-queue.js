/**
 * Runs password hashes one at a time, with a short queue. Hashing uses libuv's thread pool, which also reads files;
 * with all its threads hashing, pages would not load.
 */
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';

const RETRY_AFTER_S = 5;

export class HashQueue {
  #isBusy = false;
  /** Those of clients where the admin has logged in. They run first. @type {(() => void)[]} */
  #known = [];
  /** @type {(() => void)[]} */
  #others = [];

  constructor(maxWaiting = LIMITS.waitingLogins.value) {
    this.maxWaiting = maxWaiting;
  }

  /**
   * Runs a function after those that were queued before it.
   * @template T
   * @param {() => Promise<T>} work
   * @param {boolean} [isKnown] whether it comes from a client where the admin has logged in
   * @returns {Promise<T>} the result of `work`
   * @throws {PitvError} PITV_LOGIN_BUSY immediately when the queue is full, or what `work` throws
   */
  async run(work, isKnown = false) {
    if (this.#isBusy) await this.#wait(isKnown ? this.#known : this.#others);
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      const next = this.#known.shift() ?? this.#others.shift();
      if (next) next();
      else this.#isBusy = false;
    }
  }

  /** Waits for the end of the hash before. @param {(() => void)[]} queue @returns {Promise<void>} */
  #wait(queue) {
    if (queue.length >= this.maxWaiting) {
      const sentence = 'Too many logins are waiting. Try again in a moment.';
      throw new PitvError('PITV_LOGIN_BUSY', sentence, { details: { retryAfterS: RETRY_AFTER_S } });
    }
    return new Promise((resolve) => queue.push(resolve));
  }
}
