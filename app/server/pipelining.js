/**
 * Limits the requests without a complete response, per connection and per client. HTTP/1.1 allows any number of them on
 * a connection (pipelining; RFC 9112, section 9.3.2), and each holds memory. Browsers send one at a time, on six
 * connections.
 */
import { ClientCounts } from '../limits/client-counts.js';
import { clientKey } from '../limits/client-key.js';

/**
 * @typedef {import('node:net').Socket} Socket
 * @typedef {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => void}
 *   Handler
 */

export class Pipelining {
  /** @type {WeakMap<Socket, number>} unfinished responses */
  #counts = new WeakMap();
  #clients;

  /**
   * @param {object} options
   * @param {number} options.maxPerSocket
   * @param {number} options.maxPerClient
   * @param {(request: import('node:http').IncomingMessage) => string} options.addressOf the client's address
   * @param {() => void} options.onRefused called for each connection that is ended
   */
  constructor({ maxPerSocket, maxPerClient, addressOf, onRefused }) {
    this.maxPerSocket = maxPerSocket;
    this.#clients = new ClientCounts({ maxPerClient });
    this.addressOf = addressOf;
    this.onRefused = onRefused;
  }

  /**
   * Wraps a request handler. A connection beyond the limits is destroyed.
   * @param {Handler} handler
   * @returns {Handler}
   */
  guard(handler) {
    return (request, response) => {
      const { socket } = request;
      // The parser emits the other requests in its buffer of up to 64 KiB even if the socket is destroyed.
      if (socket.destroyed) return;
      const count = this.unfinished(socket) + 1;
      const client = clientKey(this.addressOf(request));
      if (count > this.maxPerSocket || !this.#clients.take(client)) {
        this.onRefused();
        socket.destroy();
        return;
      }
      this.#counts.set(socket, count);
      response.once('close', () => {
        this.#counts.set(socket, this.unfinished(socket) - 1);
        this.#clients.release(client);
      });
      handler(request, response);
    };
  }

  /** Returns the number of a connection's unfinished responses. @param {Socket} socket @returns {number} */
  unfinished(socket) {
    return this.#counts.get(socket) ?? 0;
  }
}
