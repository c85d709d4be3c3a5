/**
 * Limits the server's sockets: their total number, the number per address, and the rate at which an address opens them.
 * Destroys all of them when the TV stops.
 */
import { BucketMap } from '../limits/bucket-map.js';
import { ClientConnections } from '../limits/client-connections.js';
import { clientKey } from '../limits/client-key.js';

/** @typedef {import('node:net').Socket} Socket */

export class Sockets {
  /** @type {ClientConnections<Socket>} */
  #open;
  #rates;
  /** Names of the sockets that became websockets, which have limits of their own. @type {Set<string>} */
  #websockets = new Set();

  /**
   * @param {import('node:net').Server} server
   * @param {object} options
   * @param {number} options.max
   * @param {number} options.maxPerAddress
   * @param {import('../limits/table.js').Rate} options.rate of new sockets per address
   * @param {(address: string) => boolean} options.isExempt tells whether the limits per address do not apply to one
   * @param {() => void} options.onRefused called for each socket beyond a limit
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
      isProtected: (socket) => this.#websockets.has(nameOf(socket)),
    });
    this.#rates = new BucketMap(rate);
    // The server's own listener creates a parser or starts a TLS handshake. A refused socket needs neither.
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

  /**
   * Destroys a new socket if it is beyond a limit.
   * @param {Socket} socket @returns {boolean} whether it was accepted
   */
  #accept(socket) {
    const address = socket.remoteAddress ?? '';
    const client = this.isExempt(address) ? undefined : clientKey(address);
    if (!this.#isAllowed(client) || !this.#open.makeRoom(client)) {
      this.onRefused();
      socket.destroy();
      return false;
    }
    this.#open.add(socket, client);
    const name = nameOf(socket);
    socket.once('close', () => {
      this.#open.remove(socket);
      this.#websockets.delete(name);
    });
    return true;
  }

  /** Notes that a socket has become a websocket. @param {Socket} socket plain or TLS */
  addWebsocket(socket) {
    if (!socket.destroyed) this.#websockets.add(nameOf(socket));
  }

  /** @param {string | undefined} client undefined if exempt */
  #isAllowed(client) {
    if (client === undefined) return true;
    return !this.#open.isFull(client) && this.#rates.take(client, performance.now());
  }

  /** Destroys all sockets: those of requests, websockets, refused upgrades and TLS handshakes. */
  destroyAll() {
    for (const socket of this.#open.all) socket.destroy();
  }
}

/**
 * Names an open socket. With TLS, the socket of a request has the same name as the TCP socket.
 * @param {Socket} socket
 */
const nameOf = ({ remoteAddress, remotePort }) => `${remoteAddress} ${remotePort}`;
