/**
 * Keeps account of the server's sockets from the moment they are accepted: bounds how many one address has and
 * how many it opens, and ends them all when the TV goes off.
 */
import { BucketMap } from '../limits/bucket-map.js';
import { clientKey } from '../limits/client-key.js';

export class Sockets {
  /** @type {Set<import('node:net').Socket>} */
  #open = new Set();
  /** @type {Map<string, number>} sockets by client key */
  #counts = new Map();
  #rates;

  /**
   * @param {import('node:net').Server} server
   * @param {object} options
   * @param {number} options.maxPerAddress
   * @param {import('../limits/table.js').Rate} options.rate of new sockets of one address
   * @param {(address: string) => boolean} options.isExempt whether an address has no such bounds
   * @param {() => void} options.onRefused called for each socket beyond them
   */
  constructor(server, { maxPerAddress, rate, isExempt, onRefused }) {
    this.maxPerAddress = maxPerAddress;
    this.isExempt = isExempt;
    this.onRefused = onRefused;
    this.#rates = new BucketMap(rate);
    // The server's own listener makes a parser or begins a TLS handshake: not for a socket that is refused.
    const listeners = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket) => {
      if (!this.#accept(socket)) return;
      for (const listener of listeners) listener.call(server, socket);
    });
  }

  get count() {
    return this.#open.size;
  }

  /** @param {import('node:net').Socket} socket of which no byte has been read yet @returns {boolean} */
  #accept(socket) {
    const address = socket.remoteAddress ?? '';
    const client = clientKey(address);
    const count = (this.#counts.get(client) ?? 0) + 1;
    const allowed = count <= this.maxPerAddress && this.#rates.take(client, performance.now());
    if (!allowed && !this.isExempt(address)) {
      this.onRefused();
      socket.destroy();
      return false;
    }
    this.#open.add(socket);
    this.#counts.set(client, count);
    socket.once('close', () => {
      this.#open.delete(socket);
      const left = (this.#counts.get(client) ?? 1) - 1;
      if (left > 0) this.#counts.set(client, left);
      else this.#counts.delete(client);
    });
    return true;
  }

  /** Ends every connection, whatever it is doing: requests, websockets, refusals, TLS handshakes. */
  destroyAll() {
    for (const socket of this.#open) socket.destroy();
  }
}
