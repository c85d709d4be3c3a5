/** Limits what clients use and open, per client and in total. */
import { isThisMachine } from './client-key.js';
import { LIMITS } from './table.js';

/** Counts the uses of a resource, per client and in total, and limits both. */
export class ClientCounts {
  /** @type {Map<string, number>} */
  #counts = new Map();
  total = 0;

  /** @param {{max?: number, maxPerClient: number}} limits max: of all clients together; unlimited by default */
  constructor({ max = Infinity, maxPerClient }) {
    this.max = max;
    this.maxPerClient = maxPerClient;
  }

  /** Returns the number of a client's uses. @param {string} client @returns {number} */
  of(client) {
    return this.#counts.get(client) ?? 0;
  }

  /** Tells whether a client has its maximum number of uses. @param {string} client @returns {boolean} */
  isFull(client) {
    return this.of(client) >= this.maxPerClient;
  }

  /** Counts one more use if it is allowed. @param {string} client @returns {boolean} whether it was allowed */
  take(client) {
    if (this.total >= this.max || this.isFull(client)) return false;
    this.total++;
    this.#counts.set(client, this.of(client) + 1);
    return true;
  }

  /** Ends a use that take() has counted. @param {string} client */
  release(client) {
    const left = this.of(client) - 1;
    this.total--;
    if (left > 0) this.#counts.set(client, left);
    else this.#counts.delete(client);
  }
}

/**
 * Returns the items of the client that has the most of them, in their order. Items to discard are chosen from these, so
 * that a client with many items loses its own first.
 * @template T
 * @param {T[]} items
 * @param {(item: T) => unknown} clientOf
 * @returns {T[]} empty when there are no items
 */
export function mostFrequent(items, clientOf) {
  /** @type {Map<unknown, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const client = clientOf(item);
    const group = groups.get(client);
    if (group) group.push(item);
    else groups.set(client, [item]);
  }
  return [...groups.values()].reduce(
    (most, group) => (group.length > most.length ? group : most),
    [],
  );
}

/**
 * Keeps the open connections. When there are too many, the newest connection of the client with the most is closed to
 * make room for a new one. A client that opens many connections therefore loses its own first. Some connections do not
 * count and are not closed: the protected ones, and the oldest ones of this machine, which takes the place of others.
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
   * @param {(connection: T) => boolean} [options.isProtected]
   */
  constructor({ max, maxPerClient, close, isProtected = () => false }) {
    this.max = max;
    this.close = close;
    this.isProtected = isProtected;
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
    const { value: ownMax } = LIMITS.ownConnections;
    let kept = 0;
    const replaceable = [...this.#open].filter(([connection, each]) => {
      if (each === undefined || this.isProtected(connection)) return false;
      return !isThisMachine(each) || ++kept > ownMax;
    });
    const most = mostFrequent(replaceable.reverse(), ([, each]) => each); // the newest first
    const isFree =
      client === undefined || (isThisMachine(client) && this.#counts.of(client) < ownMax);
    const wanted = isFree ? 0 : replaceable.filter(([, each]) => each === client).length + 1;
    if (most.length <= wanted) return false;
    const [[connection]] = most;
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
    this.#open.delete(connection);
    if (client !== undefined) this.#counts.release(client);
  }
}
