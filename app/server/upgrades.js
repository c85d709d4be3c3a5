/** Decides which clients may open a websocket, and answers the others with an HTTP status. */
import { WebSocketServer } from 'ws';
import { clientKey } from '../limits/client-key.js';
import { mostFrequent } from '../limits/fairness.js';
import { LIMITS } from '../limits/table.js';
import { originCheck } from './origins.js';

const STATUS_LINES = Object.freeze({
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
    perMessageDeflate: false, // frames change wholly each tick, and a deflate context costs 300 KB
    skipUTF8Validation: false,
    maxFragments: LIMITS.messageFragments.value,
    maxBufferedChunks: LIMITS.messageChunks.value,
  });
  /** Open websocket -> client key, the oldest first. @type {Map<import('ws').WebSocket, string>} */
  #open = new Map();
  /** @type {Map<string, number>} open websockets by client key */
  #counts = new Map();

  /**
   * @param {Pick<import('./hub.js').HubServices, 'settings' | 'counters' | 'addresses' | 'requests'>} services
   * @param {(socket: import('ws').WebSocket, address: string) => void} onOpen
   */
  constructor({ settings, counters, addresses, requests }, onOpen) {
    this.settings = settings;
    this.allowed = originCheck(settings);
    this.counters = counters;
    this.addresses = addresses;
    this.requests = requests;
    this.onOpen = onOpen;
  }

  /**
   * Handles the HTTP server's 'upgrade' event.
   * @param {IncomingMessage} request
   * @param {import('node:stream').Duplex} socket
   * @param {Buffer} head
   */
  handle(request, socket, head) {
    socket.on('error', () => {}); // the client may leave while it is being refused
    const address = this.addresses.of(request);
    const refusal = this.#refusal(request, address);
    if (refusal) {
      this.counters.dropped(`connection-${refusal}`);
      refuse(socket, STATUS_LINES[refusal]);
      return;
    }
    this.#wss.handleUpgrade(request, socket, head, (webSocket) => this.#accept(webSocket, address));
  }

  /**
   * @param {IncomingMessage} request @param {string} address
   * @returns {keyof typeof STATUS_LINES | undefined} why the client may not come in
   */
  #refusal({ url = '', headers }, address) {
    const { maxClients, maxClientsPerAddress } = this.settings;
    if (!this.requests.take(address)) return 'rate';
    if (url.split('?')[0] !== '/ws') return 'path';
    if (!this.allowed(headers)) return 'origin';
    const count = this.#counts.get(clientKey(address)) ?? 0;
    if (count >= maxClientsPerAddress) return 'address';
    if (this.#open.size >= maxClients && !this.#makeRoom(count + 1)) return 'total';
    return undefined;
  }

  /**
   * Closes the newest websocket of the client that has the most.
   * @param {number} count what the client that asks would have
   * @returns {boolean} false: that client itself would have the most
   */
  #makeRoom(count) {
    const most = mostFrequent([...this.#open], ([, client]) => client);
    if (most.length <= count) return false;
    const [webSocket] = most[most.length - 1];
    this.counters.dropped('connection-total');
    this.#forget(webSocket);
    webSocket.terminate();
    return true;
  }

  /** @param {import('ws').WebSocket} webSocket @param {string} address */
  #accept(webSocket, address) {
    const client = clientKey(address);
    this.#open.set(webSocket, client);
    this.#counts.set(client, (this.#counts.get(client) ?? 0) + 1);
    webSocket.once('close', () => this.#forget(webSocket));
    this.onOpen(webSocket, address);
  }

  /** @param {import('ws').WebSocket} webSocket */
  #forget(webSocket) {
    const client = this.#open.get(webSocket);
    if (client === undefined) return;
    this.#open.delete(webSocket);
    const left = (this.#counts.get(client) ?? 1) - 1;
    if (left > 0) this.#counts.set(client, left);
    else this.#counts.delete(client);
  }

  close() {
    this.#wss.close();
  }
}

/**
 * Answers a refused upgrade and ends its connection. Nobody reads from the socket any more, so it would not
 * notice that the client has left: it is destroyed as soon as the answer is with the kernel, and soon in
 * any case.
 * @param {import('node:stream').Duplex} socket
 * @param {string} statusLine
 */
function refuse(socket, statusLine) {
  const timer = setTimeout(() => socket.destroy(), LIMITS.refusedMs.value);
  socket.once('close', () => clearTimeout(timer));
  socket.end(`${statusLine}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
    socket.destroy(),
  );
}
