/** The hashes of the tokens of the screens that the TV knows again. */
import { mostFrequent } from '../limits/fairness.js';
import { LIMITS } from '../limits/table.js';

/**
 * Returns the owner of the matches that a screen starts.
 * @param {string} hash of the screen's token
 */
export const screenOwner = (hash) => `screen:${hash}`;

/**
 * @typedef {object} Known
 * @property {string | undefined} client the key of the address it came from last; undefined after a
 *   restart of the TV
 * @property {number} connections with this token now
 */

export class ScreenTokens {
  /** By hash, the least recently opened first. @type {Map<string, Known>} */
  #known = new Map();

  /**
   * @param {object} options
   * @param {(hash: string) => boolean} options.inUse whether a match of this screen runs
   * @param {number} [options.max] tokens of screens that are not connected and have no match
   */
  constructor({ inUse, max = LIMITS.screenTokens.value }) {
    this.inUse = inUse;
    this.max = max;
  }

  /** Hashes for the next start: those that are forgotten first come first. */
  get hashes() {
    /** @param {string} hash @param {Known} known */
    const rank = (hash, { connections }) => (this.inUse(hash) ? 2 : Math.min(connections, 1));
    return [...this.#known]
      .map(([hash, known]) => ({ hash, rank: rank(hash, known) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ hash }) => hash);
  }

  /** @param {string} hash */
  has(hash) {
    return this.#known.has(hash);
  }

  /** Adds the hash of a screen that has connected. @param {string} hash @param {string} client */
  open(hash, client) {
    const connections = (this.#known.get(hash)?.connections ?? 0) + 1;
    this.#known.delete(hash);
    this.#known.set(hash, { client, connections });
  }

  /** Keeps the hash of a screen that has disconnected, as far as there is room. @param {string} hash */
  close(hash) {
    const known = this.#known.get(hash);
    if (!known) return;
    known.connections--;
    this.#makeRoom();
  }

  /** @param {string[]} hashes of an earlier start */
  restore(hashes) {
    for (const hash of hashes) {
      if (!/^[0-9a-f]{64}$/.test(hash) || this.#known.has(hash)) continue;
      this.#known.set(hash, { client: undefined, connections: 0 });
    }
    this.#makeRoom();
  }

  /** Forgets tokens of the addresses that have the most of them. */
  #makeRoom() {
    const idle = [...this.#known].filter(
      ([hash, { connections }]) => connections === 0 && !this.inUse(hash),
    );
    for (; idle.length > this.max;) {
      const [oldest] = mostFrequent(idle, ([, { client }]) => client);
      this.#known.delete(oldest[0]);
      idle.splice(idle.indexOf(oldest), 1);
    }
  }
}
