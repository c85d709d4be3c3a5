/**
 * Keeps account of the server's sockets from the moment they are accepted: bounds how many there are, how many
 * one address has and how many it opens, and ends them all when the TV goes off.
 */
import { BucketMap } from '../limits/bucket-map.js';
import { clientKey } from '../limits/client-key.js';
import { mostFrequent } from '../limits/fairness.js';

/** @typedef {import('node:net').Socket} Socket */

export class Sockets {
  /** Socket -> client key, the oldest first. @type {Map<Socket, string>} */
  #open = new Map();
  /** @type {Map<string, number>} sockets by client key */
  #counts = new Map();
  #rates;

  /**
   * @param {import('node:net').Server} server
   * @param {object} options
   * @param {number} options.max
   * @param {number} options.maxPerAddress
   * @param {import('../limits/table.js').Rate} options.rate of new sockets of one address
   * @param {(address: string) => boolean} options.isExempt whether an address has no such bounds
   * @param {() => void} options.onRefused called for each socket beyond them
   */
  constructor(server, { max, maxPerAddress, rate, isExempt, onRefused }) {
    this.max = max;
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

  /** @param {Socket} socket of which no byte has been read yet @returns {boolean} */
  #accept(socket) {
    const address = socket.remoteAddress ?? '';
    const client = clientKey(address);
    const exempt = this.isExempt(address);
    const count = (this.#counts.get(client) ?? 0) + 1;
    const allowed = count <= this.maxPerAddress && this.#rates.take(client, performance.now());
    if (!(allowed || exempt) || !this.#makeRoom(exempt ? 0 : count)) {
      this.onRefused();
      socket.destroy();
      return false;
    }
    this.#open.set(socket, client);
    this.#counts.set(client, count);
    socket.once('close', () => this.#forget(socket));
    return true;
  }

  /**
   * Ends a connection when there are too many: the newest one of the client that has the most.
   * @param {number} count what the client that asks would have
   * @returns {boolean} false: that client itself would have the most
   */
  #makeRoom(count) {
    if (this.#open.size < this.max) return true;
    const known = [...this.#open].filter(([socket]) => !this.isExempt(socket.remoteAddress ?? ''));
    const most = mostFrequent(known, ([, client]) => client);
    if (most.length <= count) return false;
    const [socket] = most[most.length - 1];
    this.onRefused();
    this.#forget(socket);
    socket.destroy();
    return true;
  }

  /** @param {Socket} socket */
  #forget(socket) {
    const client = this.#open.get(socket);
    if (client === undefined) return;
    this.#open.delete(socket);
    const left = (this.#counts.get(client) ?? 1) - 1;
    if (left > 0) this.#counts.set(client, left);
    else this.#counts.delete(client);
  }

  /** Ends every connection, whatever it is doing: requests, websockets, refusals, TLS handshakes. */
  destroyAll() {
    for (const socket of this.#open.keys()) socket.destroy();
  }
}
