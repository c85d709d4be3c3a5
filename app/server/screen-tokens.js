/** Keeps the hashes of the tokens of known screens. */
import { mostFrequent } from '../limits/client-connections.js';
import { LIMITS } from '../limits/table.js';

/** Returns the owner of the matches that a screen starts. @param {string} hash of the screen's token */
export const screenOwner = (hash) => `screen:${hash}`;

/**
 * @typedef {object} Known
 * @property {string | undefined} client the key of its last address; undefined after a restart of the TV
 * @property {number} connections open connections with this token
 * @property {boolean} isOwn whether it was opened at this TV, also before a restart
 * @property {MatchId} [watched] the match that it watched when its last connection ended
 *
 * @typedef {import('../match/match.js').Match['id']} MatchId
 */

export class ScreenTokens {
  /** By hash, the least recently opened first. @type {Map<string, Known>} */
  #known = new Map();

  /** Maximum number of tokens of screens that are not connected and own no match. */
  max = LIMITS.screenTokens.value;

  /** @param {(hash: string) => boolean} inUse tells whether the screen owns a running match */
  constructor(inUse) {
    this.inUse = inUse;
  }

  /** Hashes to save for the next start. Those that are forgotten first come first. */
  get hashes() {
    /** @param {string} hash @param {Known} known */
    const rank = (hash, { connections }) => (this.inUse(hash) ? 2 : Math.min(connections, 1));
    return [...this.#known]
      .map(([hash, known]) => ({ hash, rank: rank(hash, known) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ hash }) => hash);
  }

  /** Hashes of the screens of this TV: other TVs of a fleet learn of them. */
  get own() {
    return this.hashes.filter((hash) => this.#known.get(hash)?.isOwn);
  }

  /** Tells whether a hash is known. @param {string} hash */
  has(hash) {
    return this.#known.has(hash);
  }

  /**
   * Adds the hash of a screen that has connected.
   * @param {string} hash @param {string} client
   * @returns {MatchId | undefined} the match that it watched when its last connection ended
   */
  open(hash, client) {
    const { connections = 0, watched } = this.#known.get(hash) ?? {};
    this.#known.delete(hash);
    this.#known.set(hash, { client, connections: connections + 1, isOwn: true });
    return watched;
  }

  /**
   * Marks a screen as disconnected. Forgets hashes if there are too many.
   * @param {string} hash @param {MatchId} [watched] the match that it was watching
   */
  close(hash, watched) {
    const known = this.#known.get(hash);
    if (!known) return;
    known.connections--;
    known.watched = watched;
    this.#makeRoom();
  }

  /**
   * Adds the hashes of an earlier start, or of another TV of a fleet.
   * @param {string[]} hashes @param {boolean} [isOwn] of an earlier start
   */
  restore(hashes, isOwn = false) {
    for (const hash of hashes) {
      if (!/^[0-9a-f]{64}$/.test(hash) || this.#known.has(hash)) continue;
      this.#known.set(hash, { client: undefined, connections: 0, isOwn });
    }
    this.#makeRoom();
  }

  /** Forgets the oldest tokens of the addresses that have the most. */
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
