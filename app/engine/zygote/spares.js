/** Children that are forked ahead, so that a start need not wait for fork(). */
import { Fork } from './fork.js';

/** Lets the child that was just started or forked run first, and further starts that follow at once. */
const DELAY_MS = 100;
/** Delay after a spare has ended or could not be forked, probably for lack of memory. It doubles each time. */
const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 64_000;

export class Spares {
  #orders;
  #wanted;
  /** Those that have been forked, the oldest first. @type {Fork[]} */
  #forked = [];
  /** The one that has been ordered, and is to be forked. @type {Fork | undefined} */
  #ordered;
  #retryMs = MIN_RETRY_MS;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {import('./order-queue.js').OrderQueue} orders @param {number} wanted */
  constructor(orders, wanted) {
    this.#orders = orders;
    this.#wanted = wanted;
  }

  /** Has the next one forked after a delay, if one is missing. @param {number} [delayMs] */
  orderIn(delayMs = 0) {
    clearTimeout(this.#timer);
    if (this.#ordered || this.#forked.length >= this.#wanted) return;
    this.#timer = setTimeout(() => this.#order(), delayMs).unref();
  }

  #order() {
    /** @type {Fork} */
    let fork;
    const lost = () => this.#lose(fork);
    const forked = () => {
      this.#ordered = undefined;
      if (this.#wanted === 0) return fork.discard();
      fork.openProcess();
      this.#forked.push(fork);
      this.orderIn(DELAY_MS);
    };
    const events = { refused: lost, exited: lost, orphaned: lost, unreadable: lost, closed: lost };
    try {
      fork = new Fork(this.#orders, true, { ...events, forked }, { messages: false });
    } catch {
      return this.#retryLater(); // no descriptor is left
    }
    fork.channel.socket.unref();
    this.#ordered = fork;
  }

  /** @param {Fork} fork that has ended, or will not be forked */
  #lose(fork) {
    if (fork !== this.#ordered && !this.#forked.includes(fork)) return;
    if (fork === this.#ordered) this.#ordered = undefined;
    this.#forked = this.#forked.filter((other) => other !== fork);
    fork.discard();
    this.#retryLater();
  }

  #retryLater() {
    this.orderIn(this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
  }

  /** Returns the oldest spare for a start; undefined if there is none. @returns {Fork | undefined} */
  take() {
    const fork = this.#forked.shift();
    this.#retryMs = MIN_RETRY_MS;
    this.orderIn(DELAY_MS);
    return fork;
  }

  /** Ends all, for good. */
  close() {
    this.#wanted = 0;
    clearTimeout(this.#timer);
    for (const fork of [...this.#forked.splice(0), this.#ordered]) fork?.discard();
    this.#ordered = undefined;
  }
}
