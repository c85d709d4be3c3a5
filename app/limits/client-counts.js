/** Counts what is in use by client and in all, and refuses more than a client or all together may have. */
export class ClientCounts {
  /** @type {Map<string, number>} */
  #counts = new Map();
  total = 0;

  /** @param {{max?: number, maxPerClient: number}} limits max: of all clients; unlimited when left out */
  constructor({ max = Infinity, maxPerClient }) {
    this.max = max;
    this.maxPerClient = maxPerClient;
  }

  /** @param {string} client @returns {boolean} whether the client may have one more; counts it if so */
  take(client) {
    const count = this.#counts.get(client) ?? 0;
    if (this.total >= this.max || count >= this.maxPerClient) return false;
    this.total++;
    this.#counts.set(client, count + 1);
    return true;
  }

  /** Returns one that take() has counted. @param {string} client */
  release(client) {
    const left = (this.#counts.get(client) ?? 0) - 1;
    this.total--;
    if (left > 0) this.#counts.set(client, left);
    else this.#counts.delete(client);
  }
}
