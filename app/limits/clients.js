/** Limits on connections, requests and messages of network clients. */
import { limit, rate } from './rows.js';

const CLOSED = 'the end of the connection';
const FLOOD = 'close code 1008';

export const clientLimits = Object.freeze({
  // TCP connections, HTTP requests and websockets
  clients: limit(
    'Websockets at the same time',
    256,
    'connections',
    'status 503, or the newest connection of the address with the most ends, but no player’s',
    '--max-clients',
  ),
  clientsPerAddress: limit(
    'Websockets of one address',
    64,
    'connections',
    'status 429',
    '--max-clients-per-address',
  ),
  pageSockets: limit(
    'TCP connections besides those of websockets',
    256,
    'connections',
    'the end of the connection, or of the newest one of the address with the most',
  ),
  pageSocketsPerAddress: limit('Of these, from one address', 64, 'connections', CLOSED),
  // The browser on the television: a screen and four players, and six connections for pages.
  ownConnections: limit(
    'Websockets, and TCP connections besides them, from `127.0.0.1` and `::1` that take the place of others and do not end for them',
    16,
    'connections',
    'nothing: further ones count like those of other addresses',
  ),
  // Enough for everybody behind one router to reload: about 6 connections and 40 requests a browser.
  newSockets: rate(
    'New TCP connections of one address, plus `--max-clients-per-address` at once',
    30,
    300,
    'connections',
    CLOSED,
  ),
  refusedMs: limit('Time for the answer to a refused websocket', 1000, 'ms', CLOSED),
  handshakeMs: limit('Time for the TLS handshake', 10_000, 'ms', CLOSED),
  unreadMs: limit(
    'Time in which a client reads nothing although bytes are waiting',
    20_000,
    'ms',
    CLOSED,
  ),
  receiveBytes: limit(
    'Bytes of a TCP connection that the kernel buffers until the TV reads them, where the addon is built',
    8192,
    'bytes',
    'nothing: the client sends more slowly',
  ),
  unsentBytes: limit(
    'Bytes of a TCP connection that wait in the kernel for the network before it takes no more, where the addon is built',
    1,
    'bytes',
    'fewer frames: the newest one, when the network can carry it',
  ),
  requests: rate(
    'HTTP requests of one address, plus `--max-clients-per-address` at once',
    50,
    600,
    'requests',
    'status 429, then the end of the connection',
    '--max-requests-per-second',
  ),
  headersMs: limit('Time for the headers of a request', 10_000, 'ms', 'status 408'),
  requestMs: limit('Time for a whole request', 30_000, 'ms', 'status 408'),
  headerBytes: limit('Headers of a request', 16384, 'bytes', 'status 431'),
  bodyBytes: limit('Body of a request', 4096, 'bytes', 'status 413'),
  pipelined: limit('Requests of a connection without a complete response', 4, 'requests', CLOSED),
  unfinishedPerAddress: limit(
    'Requests of one address without a complete response',
    64,
    'requests',
    CLOSED,
  ),
  // Messages of a websocket
  hellos: rate(
    'First messages of the websockets of one address, plus `--max-clients-per-address` at once',
    10,
    60,
    'messages',
    FLOOD,
  ),
  helloMs: limit('Time for the first message of a websocket', 5000, 'ms', 'close code 4001'),
  helloAgainMs: limit(
    'Time for another first message after a wrong code',
    120_000,
    'ms',
    'close code 4001',
  ),
  deadMs: limit('Time without any message from a websocket client', 15_000, 'ms', CLOSED),
  textBacklogBytes: limit(
    'Unsent bytes of a websocket before it is closed',
    1024 * 1024,
    'bytes',
    CLOSED,
  ),
  messageBytes: limit('One websocket message', 4096, 'bytes', 'close code 1009'),
  messageFragments: limit('Frames of one websocket message', 16, 'frames', FLOOD),
  messageChunks: limit('Pieces in which one websocket frame arrives', 256, 'pieces', FLOOD),
  controls: rate('Pings and pongs of a connection', 20, 50, 'frames', FLOOD),
  texts: rate(
    'JSON messages of a connection',
    10,
    30,
    'messages',
    'nothing: the message is dropped',
  ),
  inputs: rate('Inputs of a pad', 130, 60, 'messages', 'nothing: the newest input is used'),
  dropped: rate('Dropped messages of a connection before it is closed', 20, 400, 'messages', FLOOD),
  goodbyeMs: limit('Time to read the close code of a flood', 1000, 'ms', CLOSED),
});
