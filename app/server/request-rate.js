/**
 * Limits the rate of HTTP requests per client. A request beyond the rate gets status 429 before express sees it, and
 * its connection is closed without answering the requests that follow it.
 */
import { BucketMap } from '../limits/bucket-map.js';
import { clientKey } from '../limits/client-key.js';

/** @typedef {import('./pipelining.js').Handler} Handler */

export class RequestRate {
  #buckets;
  /** Connections that are being closed. @type {WeakSet<import('node:net').Socket>} */
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

  /**
   * Counts a request if it is allowed.
   * @param {string} address of the client @returns {boolean} whether it is allowed
   */
  take(address) {
    return this.#buckets.take(clientKey(address), performance.now());
  }

  /**
   * Wraps a request handler. Requests beyond the rate get status 429.
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
