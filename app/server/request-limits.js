/**
 * Limits the HTTP requests of each client before express sees them: their rate, and how many have no complete response.
 * HTTP/1.1 allows any number of the latter on a connection (pipelining; RFC 9112, section 9.3.2), and each of them
 * holds memory. Browsers send one at a time, on six connections.
 */
import { BucketMap } from '../limits/bucket-map.js';
import { ClientCounts } from '../limits/client-connections.js';
import { clientKey } from '../limits/client-key.js';
import { LIMITS, burstFor } from '../limits/table.js';

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
   * @param {import('../config/settings.js').Settings} settings
   * @param {import('./origins.js').ClientAddresses} addresses
   * @param {import('./metrics.js').Counters} counters
   */
  constructor(settings, addresses, counters) {
    const rate = { ...LIMITS.requests.value, perSecond: settings.maxRequestsPerSecond };
    this.#rates = new BucketMap(burstFor(rate, settings));
    this.#clients = new ClientCounts({ maxPerClient: LIMITS.unfinishedPerAddress.value });
    this.addresses = addresses;
    this.counters = counters;
  }

  /** Counts a request, if the rate allows it. @param {string} address of the client @returns {boolean} if it does */
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
   * @param {Handler} handler @returns {Handler}
   */
  guard(handler) {
    return (request, response) => {
      const { socket } = request;
      // The parser emits the other requests in its buffer of up to 64 KiB even if the socket is destroyed.
      if (socket.destroyed) return;
      const count = this.unfinished(socket) + 1;
      const address = this.addresses.of(request);
      const client = clientKey(address);
      if (count > LIMITS.pipelined.value || !this.#clients.take(client)) {
        this.counters.dropped('pipelining');
        socket.destroy();
        return;
      }
      this.#counts.set(socket, count);
      // Node.js closes the response that is being sent, but not those that wait for it.
      const closeWaiting = () => response.socket || response.emit('close');
      socket.once('close', closeWaiting);
      response.once('close', () => {
        socket.off('close', closeWaiting);
        this.#counts.set(socket, this.unfinished(socket) - 1);
        this.#clients.release(client);
      });
      if (this.#refused.has(socket)) return;
      if (this.take(address)) {
        handler(request, response);
        return;
      }
      this.#refused.add(socket);
      this.counters.dropped('request-rate');
      const seconds = this.#rates.secondsUntilOne(client);
      response.writeHead(429, { 'Retry-After': seconds, Connection: 'close', 'Content-Length': 0 });
      response.end();
    };
  }
}
