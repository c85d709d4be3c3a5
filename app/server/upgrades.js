/** Opens websockets, or refuses them with an HTTP status. */
import { ClientConnections } from '../limits/client-connections.js';
import { clientKey } from '../limits/client-key.js';
import { LIMITS } from '../limits/table.js';
import { require } from '../require.js';
import { isAmbiguous, originCheck } from './origins.js';

const { WebSocket, WebSocketServer } = /** @type {typeof import('ws')} */ (require('ws'));

const STATUS_LINES = Object.freeze({
  ambiguous: 'HTTP/1.1 400 Bad Request',
  origin: 'HTTP/1.1 403 Forbidden',
  address: 'HTTP/1.1 429 Too Many Requests',
  rate: 'HTTP/1.1 429 Too Many Requests',
  total: 'HTTP/1.1 503 Service Unavailable',
  path: 'HTTP/1.1 404 Not Found',
});

/** @typedef {import('node:http').IncomingMessage} IncomingMessage */

export class Upgrades {
  #wss = new WebSocketServer({
    noServer: true,
    maxPayload: LIMITS.messageBytes.value,
    perMessageDeflate: false, // all bytes of frames change each tick, and a deflate context takes 300 KB
    skipUTF8Validation: false,
    maxFragments: LIMITS.messageFragments.value,
    maxBufferedChunks: LIMITS.messageChunks.value,
  });
  /** @type {ClientConnections<import('ws').WebSocket>} */
  #open;
  /** Websockets of players. At most one for each player, so their number is limited. @type {WeakSet<object>} */
  #players = new WeakSet();

  /**
   * @param {Pick<import('./hub.js').HubServices, 'settings' | 'counters' | 'addresses' | 'requests' | 'home'>}
   *   services
   * @param {(socket: import('ws').WebSocket, address: string) => void} onOpen called with each open websocket
   */
  constructor({ settings, counters, addresses, requests, home }, onOpen) {
    const { maxClients: max, maxClientsPerAddress: maxPerClient } = settings;
    this.#open = new ClientConnections({
      max,
      maxPerClient,
      close(webSocket) {
        counters.dropped('connection-total');
        webSocket.terminate();
      },
      isProtected: (webSocket) =>
        webSocket.readyState === WebSocket.OPEN && this.#players.has(webSocket),
    });
    this.allowed = originCheck(settings, () => home.origins);
    this.counters = counters;
    this.addresses = addresses;
    this.requests = requests;
    this.onOpen = onOpen;
  }

  /**
   * Handles the HTTP server's 'upgrade' event.
   * @param {IncomingMessage} request @param {import('node:stream').Duplex} socket @param {Buffer} head
   * @returns {boolean} whether the websocket is open
   */
  handle(request, socket, head) {
    socket.on('error', () => {}); // the client may leave while it is being refused
    const address = this.addresses.of(request);
    const refusal = this.#refusal(request, address);
    if (refusal) {
      this.counters.dropped(`connection-${refusal}`);
      refuse(socket, STATUS_LINES[refusal]);
      return false;
    }
    let isOpen = false;
    this.#wss.handleUpgrade(request, socket, head, (webSocket) => {
      isOpen = true;
      this.#open.add(webSocket, clientKey(address));
      webSocket.once('close', () => this.#open.remove(webSocket));
      this.onOpen(webSocket, address);
    });
    return isOpen;
  }

  /** Notes that a websocket's client has given the join code. @param {import('ws').WebSocket} webSocket */
  addPlayer(webSocket) {
    this.#players.add(webSocket);
  }

  /**
   * Tells why a request is refused.
   * @param {IncomingMessage} request @param {string} address
   * @returns {keyof typeof STATUS_LINES | undefined} undefined if it is accepted
   */
  #refusal(request, address) {
    const { url = '', headers } = request;
    if (!this.requests.take(address)) return 'rate';
    if (isAmbiguous(request)) return 'ambiguous';
    if (url.split('?')[0] !== '/ws') return 'path';
    if (!this.allowed(headers)) return 'origin';
    const client = clientKey(address);
    if (this.#open.isFull(client)) return 'address';
    if (!this.#open.makeRoom(client)) return 'total';
    return undefined;
  }

  close() {
    this.#wss.close();
  }
}

/**
 * Answers a refused upgrade and destroys its socket when the kernel has the response, or after a time limit. Nothing
 * reads from the socket, so the end of the client's side would go unnoticed.
 * @param {import('node:stream').Duplex} socket @param {string} statusLine
 */
function refuse(socket, statusLine) {
  const timer = setTimeout(() => socket.destroy(), LIMITS.refusedMs.value);
  socket.once('close', () => clearTimeout(timer));
  const head = `${statusLine}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
  socket.end(head, () => socket.destroy());
}
