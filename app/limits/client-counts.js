/** Counts the uses of a resource by client and in all, and refuses a use beyond either bound. */
export class ClientCounts {
  /** @type {Map<string, number>} */
  #counts = new Map();
  total = 0;

  /** @param {{max?: number, maxPerClient: number}} limits max: of all clients; unlimited when left out */
  constructor({ max = Infinity, maxPerClient }) {
    this.max = max;
    this.maxPerClient = maxPerClient;
  }

  /** @param {string} client @returns {number} uses of the client */
  of(client) {
    return this.#counts.get(client) ?? 0;
  }

  /** @param {string} client @returns {boolean} whether the client has as many as it may have */
  isFull(client) {
    return this.of(client) >= this.maxPerClient;
  }

  /** @param {string} client @returns {boolean} whether the client may have one more; counts it if so */
  take(client) {
    if (this.total >= this.max || this.isFull(client)) return false;
    this.total++;
    this.#counts.set(client, this.of(client) + 1);
    return true;
  }

  /** Returns one that take() has counted. @param {string} client */
  release(client) {
    const left = this.of(client) - 1;
    this.total--;
    if (left > 0) this.#counts.set(client, left);
    else this.#counts.delete(client);
  }
}
