/** Limits the server's sockets: their number, the rate at which they are opened, and what waits to be read or sent. */
import { BucketMap } from '../limits/bucket-map.js';
import { ClientConnections } from '../limits/client-connections.js';
import { clientKey } from '../limits/client-key.js';
import { LIMITS, burstFor } from '../limits/table.js';
import { native } from '../native/native.js';

/** @typedef {import('node:net').Socket} Socket */

/** Limits the number of sockets, in total and per address, and their rate. Destroys all when the TV stops. */
export class Sockets {
  /** @type {ClientConnections<Socket>} */
  #open;
  #rates;
  /** Names of the sockets that became websockets, which have limits of their own. @type {Set<string>} */
  #websockets = new Set();

  /**
   * @param {import('node:net').Server} server @param {import('../config/settings.js').Settings} settings
   * @param {import('./origins.js').ClientAddresses} addresses
   * @param {import('./metrics.js').Counters} counters
   */
  constructor(server, settings, addresses, counters) {
    this.addresses = addresses;
    this.counters = counters;
    this.#open = new ClientConnections({
      max: settings.maxClients + LIMITS.pageSockets.value,
      maxPerClient: settings.maxClientsPerAddress + LIMITS.pageSocketsPerAddress.value,
      close: (socket) => this.#refuse(socket),
      isProtected: (socket) => this.#websockets.has(nameOf(socket)),
    });
    this.#rates = new BucketMap(burstFor(LIMITS.newSockets.value, settings));
    // The server's own listener creates a parser or starts a TLS handshake. A refused socket needs neither.
    const listeners = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket) => {
      if (!this.#accept(socket)) return this.#refuse(socket);
      for (const listener of listeners) listener.call(server, socket);
      return undefined;
    });
  }

  get count() {
    return this.#open.size;
  }

  /** @param {Socket} socket beyond a limit */
  #refuse(socket) {
    this.counters.dropped('socket-address');
    socket.destroy();
  }

  /** Adds a new socket unless it is beyond a limit. @param {Socket} socket @returns {boolean} whether it was added */
  #accept(socket) {
    const address = socket.remoteAddress ?? '';
    // A proxy's connections are those of many clients.
    const client = this.addresses.isProxy(address) ? undefined : clientKey(address);
    if (client !== undefined) {
      if (this.#open.isFull(client) || !this.#rates.take(client, performance.now())) return false;
    }
    if (!this.#open.makeRoom(client)) return false;
    this.#open.add(socket, client);
    const name = nameOf(socket);
    socket.once('close', () => {
      this.#open.remove(socket);
      this.#websockets.delete(name);
    });
    return true;
  }

  /** Notes that a socket has become a websocket. @param {Socket} socket plain or TLS */
  addWebsocket(socket) {
    if (!socket.destroyed) this.#websockets.add(nameOf(socket));
  }

  /** Destroys all sockets: those of requests, websockets, refused upgrades and TLS handshakes. */
  destroyAll() {
    for (const socket of this.#open.all) socket.destroy();
  }
}

/** Names an open socket. With TLS, it has the same name as its TCP socket. @param {Socket} socket */
const nameOf = ({ remoteAddress, remotePort }) => `${remoteAddress} ${remotePort}`;

/** Checks of each socket per time limit. */
const CHECKS = 4;

/**
 * @typedef {{written: number, queued: number, since: number}} Progress
 *   written: bytes of complete writes; queued: remaining bytes of the current write; since: ms
 */

/**
 * Destroys connections whose clients do not read: bytes are waiting to be sent, and the kernel has accepted none of
 * them for some time. The socket timeout of Node.js does not detect this, because each byte from the client restarts
 * it.
 */
export class WriteProgress {
  /** @type {Map<Socket, Progress | undefined>} undefined: no bytes are waiting */
  #sockets = new Map();
  #timer;

  /** @param {number} stalledMs @param {() => void} onStalled called for each destroyed socket */
  constructor(stalledMs, onStalled) {
    this.stalledMs = stalledMs;
    this.onStalled = onStalled;
    this.#timer = setInterval(() => this.#check(performance.now()), stalledMs / CHECKS).unref();
  }

  /** Adds a socket. @param {Socket} socket with TLS, the TLSSocket */
  add(socket) {
    this.#sockets.set(socket, undefined);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** @param {number} now ms */
  #check(now) {
    for (const [socket, before] of this.#sockets) {
      const progress = progressOf(socket, now);
      const stalled =
        progress && before?.written === progress.written && before.queued === progress.queued;
      if (!stalled) this.#sockets.set(socket, progress);
      else if (now - before.since >= this.stalledMs) {
        this.onStalled();
        socket.destroy();
      }
    }
  }

  close() {
    clearInterval(this.#timer);
  }
}

/** Reads a socket's progress. @param {Socket} socket @param {number} now ms @returns {Progress | undefined} */
function progressOf(socket, now) {
  const { bytesWritten, writableLength } = socket;
  if (writableLength === 0) return undefined;
  // A large buffer is one write. Only the handle knows how many of its bytes the kernel has accepted.
  const { _handle: handle } = /** @type {{_handle?: {writeQueueSize: number} | null}} */ (
    /** @type {unknown} */ (socket)
  );
  return {
    written: bytesWritten - writableLength,
    queued: handle?.writeQueueSize ?? 0,
    since: now,
  };
}

/**
 * Limits the bytes that the kernel buffers for each connection. Does nothing without the addon.
 * @param {import('node:net').Server} server a listening server; connections inherit its limits
 * @param {number} [receiveBytes] of received bytes, and thereby of what one read passes to a parser; the kernel
 *   doubles it for its own use. By default, Node.js reads up to 64 KiB at once; pipelined requests of that size take 20
 *   ms of the main thread
 * @param {number} [unsentBytes] of bytes that the network does not carry yet. By default, megabytes of frames wait
 *   there if the network is slow, and each screen shows the past
 */
export function limitKernelBuffers(
  server,
  receiveBytes = LIMITS.receiveBytes.value,
  unsentBytes = LIMITS.unsentBytes.value,
) {
  // Node.js has no public access to the descriptor.
  const { _handle: handle } = /** @type {{_handle?: {fd?: number}}} */ (
    /** @type {unknown} */ (server)
  );
  const fd = handle?.fd ?? -1;
  if (fd < 0) return;
  try {
    native().setReceiveBuffer(fd, receiveBytes);
    native().limitUnsent(fd, unsentBytes);
  } catch {
    // There is no addon, or the kernel refused.
  }
}
