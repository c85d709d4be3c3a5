/**
 * Destroys connections whose clients do not read: bytes are waiting to be sent, and the kernel has accepted none of
 * them for some time. The socket timeout of Node.js does not detect this, because each byte from the client restarts
 * it.
 */

/** Checks of each socket per time limit. */
const CHECKS = 4;

/**
 * @typedef {import('node:net').Socket} Socket
 * @typedef {{written: number, queued: number, since: number}} Progress
 *   written: bytes of complete writes; queued: remaining bytes of the current write; since: ms
 */

export class WriteProgress {
  /** @type {Map<Socket, Progress | undefined>} undefined: no bytes are waiting */
  #sockets = new Map();
  #timer;

  /** @param {{stalledMs: number, onStalled: () => void}} options onStalled: called for each destroyed socket */
  constructor({ stalledMs, onStalled }) {
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

/**
 * Reads a socket's progress.
 * @param {Socket} socket @param {number} now ms @returns {Progress | undefined} see #sockets
 */
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
