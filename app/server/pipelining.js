/**
 * Bounds the requests of a connection that have no complete response yet. HTTP/1.1 allows any number of them
 * (pipelining; RFC 9112, 9.3.2), and each holds memory and perhaps a file. Browsers send one at a time.
 */

/**
 * @typedef {import('node:net').Socket} Socket
 * @typedef {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => void} Handler
 */

export class Pipelining {
  /** @type {WeakMap<Socket, number>} unfinished responses */
  #counts = new WeakMap();

  /** @param {{max: number, onRefused: () => void}} options onRefused: called for each connection beyond `max` */
  constructor({ max, onRefused }) {
    this.max = max;
    this.onRefused = onRefused;
  }

  /**
   * Wraps a request handler: a connection with too many unfinished responses is ended.
   * @param {Handler} handler
   * @returns {Handler}
   */
  guard(handler) {
    return (request, response) => {
      const { socket } = request;
      // The parser goes on to the end of the bytes that it was given, at most 64 KiB.
      if (socket.destroyed) return;
      const count = this.unfinished(socket) + 1;
      if (count > this.max) {
        this.onRefused();
        socket.destroy();
        return;
      }
      this.#counts.set(socket, count);
      response.once('close', () => this.#counts.set(socket, this.unfinished(socket) - 1));
      handler(request, response);
    };
  }

  /** @param {Socket} socket @returns {number} responses */
  unfinished(socket) {
    return this.#counts.get(socket) ?? 0;
  }
}
