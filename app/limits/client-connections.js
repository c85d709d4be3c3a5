/** Limits open connections, per client and in total. */
import { ClientCounts } from './client-counts.js';
import { mostFrequent } from './fairness.js';

/**
 * Keeps the open connections. When there are too many, the newest connection of the client with the most is closed to
 * make room for a new one. A client that opens many connections therefore loses its own first.
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
   * @param {(connection: T) => void} options.close closes a connection to make room for another one
   */
  constructor({ max, maxPerClient, close }) {
    this.max = max;
    this.close = close;
    this.#counts = new ClientCounts({ maxPerClient });
  }

  get size() {
    return this.#open.size;
  }

  /** The open connections, the oldest first. @returns {Iterable<T>} */
  get all() {
    return this.#open.keys();
  }

  /** Tells whether a client has its maximum number of connections. @param {string} client @returns {boolean} */
  isFull(client) {
    return this.#counts.isFull(client);
  }

  /**
   * Makes room for a new connection, if necessary by closing one.
   * @param {string | undefined} client that opens the connection; undefined for a client without a limit
   * @returns {boolean} false if the connection must be refused, because no other client has more
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

  /** Adds an open connection. @param {T} connection @param {string | undefined} client see makeRoom() */
  add(connection, client) {
    this.#open.set(connection, client);
    if (client !== undefined) this.#counts.take(client);
  }

  /** Removes a closed connection. Idempotent. @param {T} connection */
  remove(connection) {
    const client = this.#open.get(connection);
    if (this.#open.delete(connection) && client !== undefined) this.#counts.release(client);
  }
}
