/** Limits on connections, requests and messages of network clients. */
import { limit, rate } from './rows.js';

const CLOSED = 'the end of the connection';
const FLOOD = 'close code 1008';

export const clientLimits = Object.freeze({
  // TCP connections, HTTP requests and websockets
  clients: limit(256, 'connections', {
    bounds: 'Websockets at the same time',
    effect:
      'status 503, or the newest connection of the address with the most ends, but no player’s',
    option: '--max-clients',
  }),
  clientsPerAddress: limit(64, 'connections', {
    bounds: 'Websockets of one address',
    effect: 'status 429',
    option: '--max-clients-per-address',
  }),
  pageSockets: limit(256, 'connections', {
    bounds: 'TCP connections besides those of websockets',
    effect: 'the end of the connection, or of the newest one of the address with the most',
  }),
  pageSocketsPerAddress: limit(64, 'connections', {
    bounds: 'Of these, from one address',
    effect: CLOSED,
  }),
  // The browser on the television: a screen and four players, and six connections for pages.
  ownConnections: limit(16, 'connections', {
    bounds:
      'Websockets, and TCP connections besides them, from `127.0.0.1` and `::1` that take the place of others and do not end for them',
    effect: 'nothing: further ones count like those of other addresses',
  }),
  // Enough for everybody behind one router to reload: about 6 connections and 40 requests a browser.
  newSockets: rate(30, 300, 'connections', {
    bounds: 'New TCP connections of one address, plus `--max-clients-per-address` at once',
    effect: CLOSED,
  }),
  refusedMs: limit(1000, 'ms', {
    bounds: 'Time for the answer to a refused websocket',
    effect: CLOSED,
  }),
  handshakeMs: limit(10_000, 'ms', { bounds: 'Time for the TLS handshake', effect: CLOSED }),
  unreadMs: limit(20_000, 'ms', {
    bounds: 'Time in which a client reads nothing although bytes are waiting',
    effect: CLOSED,
  }),
  receiveBytes: limit(8192, 'bytes', {
    bounds:
      'Bytes of a TCP connection that the kernel buffers until the TV reads them, where the addon is built',
    effect: 'nothing: the client sends more slowly',
  }),
  unsentBytes: limit(1, 'bytes', {
    bounds:
      'Bytes of a TCP connection that wait in the kernel for the network before it takes no more, where the addon is built',
    effect: 'fewer frames: the newest one, when the network can carry it',
  }),
  requests: rate(50, 600, 'requests', {
    bounds: 'HTTP requests of one address, plus `--max-clients-per-address` at once',
    effect: 'status 429, then the end of the connection',
    option: '--max-requests-per-second',
  }),
  headersMs: limit(10_000, 'ms', {
    bounds: 'Time for the headers of a request',
    effect: 'status 408',
  }),
  requestMs: limit(30_000, 'ms', { bounds: 'Time for a whole request', effect: 'status 408' }),
  headerBytes: limit(16384, 'bytes', { bounds: 'Headers of a request', effect: 'status 431' }),
  bodyBytes: limit(4096, 'bytes', { bounds: 'Body of a request', effect: 'status 413' }),
  pipelined: limit(4, 'requests', {
    bounds: 'Requests of a connection without a complete response',
    effect: CLOSED,
  }),
  unfinishedPerAddress: limit(64, 'requests', {
    bounds: 'Requests of one address without a complete response',
    effect: CLOSED,
  }),
  // Messages of a websocket
  hellos: rate(10, 60, 'messages', {
    bounds:
      'First messages of the websockets of one address, plus `--max-clients-per-address` at once',
    effect: FLOOD,
  }),
  helloMs: limit(5000, 'ms', {
    bounds: 'Time for the first message of a websocket',
    effect: 'close code 4001',
  }),
  helloAgainMs: limit(120_000, 'ms', {
    bounds: 'Time for another first message after a wrong code',
    effect: 'close code 4001',
  }),
  deadMs: limit(15_000, 'ms', {
    bounds: 'Time without any message from a websocket client',
    effect: CLOSED,
  }),
  textBacklogBytes: limit(1024 * 1024, 'bytes', {
    bounds: 'Unsent bytes of a websocket before it is closed',
    effect: CLOSED,
  }),
  messageBytes: limit(4096, 'bytes', {
    bounds: 'One websocket message',
    effect: 'close code 1009',
  }),
  messageFragments: limit(16, 'frames', {
    bounds: 'Frames of one websocket message',
    effect: FLOOD,
  }),
  messageChunks: limit(256, 'pieces', {
    bounds: 'Pieces in which one websocket frame arrives',
    effect: FLOOD,
  }),
  controls: rate(20, 50, 'frames', { bounds: 'Pings and pongs of a connection', effect: FLOOD }),
  texts: rate(10, 30, 'messages', {
    bounds: 'JSON messages of a connection',
    effect: 'nothing: the message is dropped',
  }),
  inputs: rate(130, 60, 'messages', {
    bounds: 'Inputs of a pad',
    effect: 'nothing: the newest input is used',
  }),
  dropped: rate(20, 400, 'messages', {
    bounds: 'Dropped messages of a connection before it is closed',
    effect: FLOOD,
  }),
  goodbyeMs: limit(1000, 'ms', {
    bounds: 'Time to read the close code of a flood',
    effect: CLOSED,
  }),
});
