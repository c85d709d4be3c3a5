/**
 * Accounts for the server's sockets from the moment they are accepted: bounds their number, the number of one
 * address and the rate at which it opens them, and destroys all of them when the TV stops.
 */
import { BucketMap } from '../limits/bucket-map.js';
import { ClientConnections } from '../limits/client-connections.js';
import { clientKey } from '../limits/client-key.js';

/** @typedef {import('node:net').Socket} Socket */

export class Sockets {
  /** @type {ClientConnections<Socket>} */
  #open;
  #rates;

  /**
   * @param {import('node:net').Server} server
   * @param {object} options
   * @param {number} options.max
   * @param {number} options.maxPerAddress
   * @param {import('../limits/table.js').Rate} options.rate of new sockets of one address
   * @param {(address: string) => boolean} options.isExempt whether an address has no bounds of its own
   * @param {() => void} options.onRefused called for each socket beyond the bounds
   */
  constructor(server, { max, maxPerAddress, rate, isExempt, onRefused }) {
    this.isExempt = isExempt;
    this.onRefused = onRefused;
    this.#open = new ClientConnections({
      max,
      maxPerClient: maxPerAddress,
      close(socket) {
        onRefused();
        socket.destroy();
      },
    });
    this.#rates = new BucketMap(rate);
    // The server's own listener creates a parser or begins a TLS handshake. A refused socket needs neither.
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

  /** @param {Socket} socket of which no byte has been read yet @returns {boolean} */
  #accept(socket) {
    const address = socket.remoteAddress ?? '';
    const client = this.isExempt(address) ? undefined : clientKey(address);
    if (!this.#isAllowed(client) || !this.#open.makeRoom(client)) {
      this.onRefused();
      socket.destroy();
      return false;
    }
    this.#open.add(socket, client);
    socket.once('close', () => this.#open.remove(socket));
    return true;
  }

  /** @param {string | undefined} client undefined: exempt */
  #isAllowed(client) {
    if (client === undefined) return true;
    return !this.#open.isFull(client) && this.#rates.take(client, performance.now());
  }

  /** Destroys every socket: of requests, websockets, refused upgrades and TLS handshakes. */
  destroyAll() {
    for (const socket of this.#open.all) socket.destroy();
  }
}
