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
