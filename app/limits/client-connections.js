/** Bounds open connections: of each client, and in all. */
import { ClientCounts } from './client-counts.js';
import { mostFrequent } from './fairness.js';

/**
 * When there are too many connections, the newest one of the client that has the most is closed for the new one. So
 * a client that opens many connections loses its own first.
 * @template T
 */
export class ClientConnections {
  /** Connection -> its client, the oldest first. @type {Map<T, string | undefined>} */
  #open = new Map();
  #counts;

  /**
   * @param {object} options
   * @param {number} options.max
   * @param {number} options.maxPerClient
   * @param {(connection: T) => void} options.close called for the connection that makes room for another one
   */
  constructor({ max, maxPerClient, close }) {
    this.max = max;
    this.close = close;
    this.#counts = new ClientCounts({ maxPerClient });
  }

  get size() {
    return this.#open.size;
  }

  /** @returns {Iterable<T>} the open connections */
  get all() {
    return this.#open.keys();
  }

  /** @param {string} client @returns {boolean} whether the client has as many connections as it may */
  isFull(client) {
    return this.#counts.isFull(client);
  }

  /**
   * Closes a connection if no other one fits.
   * @param {string | undefined} client that opens a connection; undefined: one without bounds
   * @returns {boolean} false: the connection must be refused, because no other client has more
   */
  makeRoom(client) {
    if (this.size < this.max) return true;
    const bounded = [...this.#open].filter(([, each]) => each !== undefined);
    const most = mostFrequent(bounded, ([, each]) => each);
    const wanted = client === undefined ? 0 : this.#counts.of(client) + 1;
    if (most.length <= wanted) return false;
    const [connection] = most[most.length - 1];
    this.remove(connection);
    this.close(connection);
    return true;
  }

  /** @param {T} connection @param {string | undefined} client see makeRoom() */
  add(connection, client) {
    this.#open.set(connection, client);
    if (client !== undefined) this.#counts.take(client);
  }

  /** Removes a connection that has closed. Idempotent. @param {T} connection */
  remove(connection) {
    const client = this.#open.get(connection);
    if (this.#open.delete(connection) && client !== undefined) this.#counts.release(client);
  }
}
