/**
 * Ends connections whose client does not read: bytes wait to be sent, and the kernel has taken none of them
 * for some time. Node.js's own socket timeout does not notice, for each byte that the client sends restarts it.
 */

/** How often each socket is looked at within the time that it has. */
const CHECKS = 4;

/**
 * @typedef {import('node:net').Socket} Socket
 * @typedef {{written: number, queued: number, since: number}} Progress
 *   written: bytes whose write is complete; queued: bytes of the running write; since: ms
 */

export class WriteProgress {
  /** @type {Map<Socket, Progress | undefined>} undefined: nothing waits */
  #sockets = new Map();
  #timer;

  /** @param {{stalledMs: number, onStalled: () => void}} options onStalled: called for each socket that is ended */
  constructor({ stalledMs, onStalled }) {
    this.stalledMs = stalledMs;
    this.onStalled = onStalled;
    this.#timer = setInterval(() => this.#check(performance.now()), stalledMs / CHECKS).unref();
  }

  /** @param {Socket} socket that answers are written to: with TLS, the encrypted one */
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

/** @param {Socket} socket @param {number} now ms @returns {Progress | undefined} undefined: nothing waits */
function progressOf(socket, now) {
  const { bytesWritten, writableLength } = socket;
  if (writableLength === 0) return undefined;
  // A large buffer is one write. Only the handle knows how much of it the kernel has taken.
  const { _handle: handle } = /** @type {{_handle?: {writeQueueSize: number} | null}} */ (
    /** @type {unknown} */ (socket)
  );
  return {
    written: bytesWritten - writableLength,
    queued: handle?.writeQueueSize ?? 0,
    since: now,
  };
}
