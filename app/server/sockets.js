/**
 * Keeps account of the server's sockets from the moment they are accepted: bounds how many one address has,
 * and ends them all when the TV goes off.
 */
import { clientKey } from '../limits/client-key.js';

export class Sockets {
  /** @type {Set<import('node:net').Socket>} */
  #open = new Set();
  /** @type {Map<string, number>} sockets by client key */
  #counts = new Map();

  /**
   * @param {import('node:net').Server} server
   * @param {object} options
   * @param {number} options.maxPerAddress
   * @param {(address: string) => boolean} options.isExempt whether an address has no such bound
   * @param {() => void} options.onRefused called for each socket beyond that
   */
  constructor(server, { maxPerAddress, isExempt, onRefused }) {
    this.maxPerAddress = maxPerAddress;
    this.isExempt = isExempt;
    this.onRefused = onRefused;
    server.on('connection', (socket) => this.#accept(socket));
  }

  get count() {
    return this.#open.size;
  }

  /** @param {import('node:net').Socket} socket of which no byte has been read yet */
  #accept(socket) {
    const address = socket.remoteAddress ?? '';
    const client = clientKey(address);
    const count = (this.#counts.get(client) ?? 0) + 1;
    if (count > this.maxPerAddress && !this.isExempt(address)) {
      this.onRefused();
      socket.destroy();
      return;
    }
    this.#open.add(socket);
    this.#counts.set(client, count);
    socket.once('close', () => {
      this.#open.delete(socket);
      const left = (this.#counts.get(client) ?? 1) - 1;
      if (left > 0) this.#counts.set(client, left);
      else this.#counts.delete(client);
    });
  }

  /** Ends every connection, whatever it is doing: requests, websockets, refusals, TLS handshakes. */
  destroyAll() {
    for (const socket of this.#open) socket.destroy();
  }
}
