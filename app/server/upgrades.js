/** Decides which clients may open a websocket, and answers the others with an HTTP status. */
import { WebSocketServer } from 'ws';
import { ClientConnections } from '../limits/client-connections.js';
import { clientKey } from '../limits/client-key.js';
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
  /** @type {ClientConnections<import('ws').WebSocket>} */
  #open;

  /**
   * @param {Pick<import('./hub.js').HubServices, 'settings' | 'counters' | 'addresses' | 'requests'>} services
   * @param {(socket: import('ws').WebSocket, address: string) => void} onOpen
   */
  constructor({ settings, counters, addresses, requests }, onOpen) {
    this.#open = new ClientConnections({
      max: settings.maxClients,
      maxPerClient: settings.maxClientsPerAddress,
      close(webSocket) {
        counters.dropped('connection-total');
        webSocket.terminate();
      },
    });
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
   * @returns {keyof typeof STATUS_LINES | undefined} why the client is refused
   */
  #refusal({ url = '', headers }, address) {
    if (!this.requests.take(address)) return 'rate';
    if (url.split('?')[0] !== '/ws') return 'path';
    if (!this.allowed(headers)) return 'origin';
    const client = clientKey(address);
    if (this.#open.isFull(client)) return 'address';
    if (!this.#open.makeRoom(client)) return 'total';
    return undefined;
  }

  /** @param {import('ws').WebSocket} webSocket @param {string} address */
  #accept(webSocket, address) {
    this.#open.add(webSocket, clientKey(address));
    webSocket.once('close', () => this.#open.remove(webSocket));
    this.onOpen(webSocket, address);
  }

  close() {
    this.#wss.close();
  }
}

/**
 * Answers a refused upgrade and ends its connection. Nothing reads from the socket any more, so it would not notice
 * that the client has left. It is destroyed as soon as the kernel has the answer, and after a time limit in any case.
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
