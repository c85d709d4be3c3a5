/**
 * Limits the HTTP requests of each client before express sees them: their rate, and how many have no complete response.
 * HTTP/1.1 allows any number of the latter on a connection (pipelining; RFC 9112, section 9.3.2), and each of them
 * holds memory. Browsers send one at a time, on six connections.
 */
import { BucketMap } from '../limits/bucket-map.js';
import { ClientCounts } from '../limits/client-connections.js';
import { clientKey } from '../limits/client-key.js';

/**
 * @typedef {import('node:net').Socket} Socket
 * @typedef {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => void}
 *   Handler
 */

export class RequestLimits {
  #rates;
  #clients;
  /** @type {WeakMap<Socket, number>} unfinished responses */
  #counts = new WeakMap();
  /** Connections that are being closed, because they were beyond the rate. @type {WeakSet<Socket>} */
  #refused = new WeakSet();

  /**
   * @param {object} options
   * @param {import('../limits/table.js').Rate} options.rate of the requests of each client
   * @param {number} options.maxPerSocket unfinished responses
   * @param {number} options.maxPerClient unfinished responses
   * @param {(request: import('node:http').IncomingMessage) => string} options.addressOf the client's address
   * @param {(kind: 'pipelining' | 'request-rate') => void} options.onRefused called for each connection that is ended
   */
  constructor({ rate, maxPerSocket, maxPerClient, addressOf, onRefused }) {
    this.#rates = new BucketMap(rate);
    this.#clients = new ClientCounts({ maxPerClient });
    this.maxPerSocket = maxPerSocket;
    this.addressOf = addressOf;
    this.onRefused = onRefused;
  }

  /**
   * Counts a request if the rate allows it.
   * @param {string} address of the client @returns {boolean} whether it is allowed
   */
  take(address) {
    return this.#rates.take(clientKey(address), performance.now());
  }

  /** Returns the number of a connection's unfinished responses. @param {Socket} socket @returns {number} */
  unfinished(socket) {
    return this.#counts.get(socket) ?? 0;
  }

  /**
   * Wraps a request handler. A connection with too many unfinished responses is destroyed. A request beyond the rate
   * gets status 429, and its connection is closed without answering the requests that follow it.
   * @param {Handler} handler
   * @returns {Handler}
   */
  guard(handler) {
    return (request, response) => {
      const { socket } = request;
      // The parser emits the other requests in its buffer of up to 64 KiB even if the socket is destroyed.
      if (socket.destroyed) return;
      const count = this.unfinished(socket) + 1;
      const address = this.addressOf(request);
      const client = clientKey(address);
      if (count > this.maxPerSocket || !this.#clients.take(client)) {
        this.onRefused('pipelining');
        socket.destroy();
        return;
      }
      this.#counts.set(socket, count);
      response.once('close', () => {
        this.#counts.set(socket, this.unfinished(socket) - 1);
        this.#clients.release(client);
      });
      if (this.#refused.has(socket)) return;
      if (this.take(address)) {
        handler(request, response);
        return;
      }
      this.#refused.add(socket);
      this.onRefused('request-rate');
      const seconds = this.#rates.secondsUntilOne(client);
      response.writeHead(429, { 'Retry-After': seconds, Connection: 'close', 'Content-Length': 0 });
      response.end();
    };
  }
}
