/** Limits on TCP connections, HTTP requests and websockets. */
import { rows } from './rows.js';

export const connectionLimits = rows({
  clients: {
    bounds: 'Websockets at the same time',
    value: 256,
    unit: 'connections',
    option: '--max-clients',
    effect:
      'status 503, or the newest connection of the address with the most ends, but no player’s',
  },
  clientsPerAddress: {
    bounds: 'Websockets of one address',
    value: 64,
    unit: 'connections',
    option: '--max-clients-per-address',
    effect: 'status 429',
  },
  pageSockets: {
    bounds: 'TCP connections besides those of websockets',
    value: 256,
    unit: 'connections',
    effect: 'the end of the connection, or of the newest one of the address with the most',
  },
  pageSocketsPerAddress: {
    bounds: 'Of these, from one address',
    value: 64,
    unit: 'connections',
    effect: 'the end of the connection',
  },
  // The browser on the television: a screen and four players, and six connections for pages.
  ownConnections: {
    bounds:
      'Websockets, and TCP connections besides them, from `127.0.0.1` and `::1` that take the place of others and do not end for them',
    value: 16,
    unit: 'connections',
    effect: 'nothing: further ones count like those of other addresses',
  },
  // Enough for everybody behind one router to reload: about 6 connections and 40 requests a browser.
  newSockets: {
    bounds: 'New TCP connections of one address, plus `--max-clients-per-address` at once',
    value: { perSecond: 30, burst: 300 },
    unit: 'connections',
    effect: 'the end of the connection',
  },
  refusedMs: {
    bounds: 'Time for the answer to a refused websocket',
    value: 1000,
    unit: 'ms',
    effect: 'the end of the connection',
  },
  handshakeMs: {
    bounds: 'Time for the TLS handshake',
    value: 10_000,
    unit: 'ms',
    effect: 'the end of the connection',
  },
  unreadMs: {
    bounds: 'Time in which a client reads nothing although bytes are waiting',
    value: 20_000,
    unit: 'ms',
    effect: 'the end of the connection',
  },
  receiveBytes: {
    bounds:
      'Bytes of a TCP connection that the kernel buffers until the TV reads them, where the addon is built',
    value: 8192,
    unit: 'bytes',
    effect: 'nothing: the client sends more slowly',
  },
  unsentBytes: {
    bounds:
      'Bytes of a TCP connection that wait in the kernel for the network before it takes no more, where the addon is built',
    value: 1,
    unit: 'bytes',
    effect: 'fewer frames: the newest one, when the network can carry it',
  },
  requests: {
    bounds: 'HTTP requests of one address, plus `--max-clients-per-address` at once',
    value: { perSecond: 50, burst: 600 },
    unit: 'requests',
    option: '--max-requests-per-second',
    effect: 'status 429, then the end of the connection',
  },
  headersMs: {
    bounds: 'Time for the headers of a request',
    value: 10_000,
    unit: 'ms',
    effect: 'status 408',
  },
  requestMs: {
    bounds: 'Time for a whole request',
    value: 30_000,
    unit: 'ms',
    effect: 'status 408',
  },
  headerBytes: {
    bounds: 'Headers of a request',
    value: 16384,
    unit: 'bytes',
    effect: 'status 431',
  },
  bodyBytes: {
    bounds: 'Body of a request',
    value: 4096,
    unit: 'bytes',
    effect: 'status 413',
  },
  pipelined: {
    bounds: 'Requests of a connection without a complete response',
    value: 4,
    unit: 'requests',
    effect: 'the end of the connection',
  },
  unfinishedPerAddress: {
    bounds: 'Requests of one address without a complete response',
    value: 64,
    unit: 'requests',
    effect: 'the end of the connection',
  },
});
