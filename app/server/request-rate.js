/**
 * Bounds the HTTP requests of each client address. A request beyond the rate is answered before express sees it, and
 * its connection is ended: what the client has sent behind it is not answered.
 */
import { BucketMap } from '../limits/bucket-map.js';
import { clientKey } from '../limits/client-key.js';

/** @typedef {import('./pipelining.js').Handler} Handler */

export class RequestRate {
  #buckets;
  /** Connections that are being ended. @type {WeakSet<import('node:net').Socket>} */
  #refused = new WeakSet();

  /**
   * @param {object} options
   * @param {import('../limits/table.js').Rate} options.rate of each client
   * @param {(request: import('node:http').IncomingMessage) => string} options.addressOf the client's address
   * @param {() => void} options.onRefused called for each connection that is ended
   */
  constructor({ rate, addressOf, onRefused }) {
    this.#buckets = new BucketMap(rate);
    this.addressOf = addressOf;
    this.onRefused = onRefused;
  }

  /** @param {string} address @returns {boolean} whether the client may make one more request; takes it if so */
  take(address) {
    return this.#buckets.take(clientKey(address), performance.now());
  }

  /**
   * Wraps a request handler: a client with too many requests gets status 429.
   * @param {Handler} handler
   * @returns {Handler}
   */
  guard(handler) {
    return (request, response) => {
      const { socket } = request;
      if (this.#refused.has(socket)) return;
      const address = this.addressOf(request);
      if (this.take(address)) {
        handler(request, response);
        return;
      }
      this.#refused.add(socket);
      this.onRefused();
      const seconds = this.#buckets.secondsUntilOne(clientKey(address));
      response.writeHead(429, {
        'Retry-After': seconds,
        Connection: 'close',
        'Content-Length': 0,
      });
      response.end();
    };
  }
}
