/** One websocket: what it may do how often, and what is sent to it. */
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { TokenBucket } from '../limits/token-bucket.js';

/**
 * The kernel's own send buffer hides up to some megabytes of backlog, so now and then a ping
 * travels behind the frames; while its pong is out for longer than this, frames are skipped.
 */
export const MARKER_LATE_MS = 400;
const MARKER_EVERY_MS = 250;
const MARKER_BYTES = 8;

/** Close codes of our own, RFC 6455 section 7.4.2. */
export const CLOSE = Object.freeze({
  replaced: 4000,
  noHello: 4001,
  removed: 4002,
  goingAway: 1001,
  policy: 1008,
});

let lastId = 0;

export class Connection {
  /** @type {'screen' | 'pad' | undefined} */
  role;
  /** When the last sign of life came, ms. */
  heardAt = performance.now();
  /** Payload of the newest ping: a client cannot know it without reading. */
  #marker = Buffer.alloc(0);
  #markerSentAt = -Infinity;
  #markerOut = false;

  /**
   * @param {import('ws').WebSocket} socket
   * @param {string} address of the other end
   * @param {import('./metrics.js').Counters} counters
   */
  constructor(socket, address, counters) {
    const now = performance.now();
    this.id = ++lastId;
    this.socket = socket;
    this.address = address;
    this.counters = counters;
    this.texts = new TokenBucket(LIMITS.texts.value, now);
    this.inputs = new TokenBucket(LIMITS.inputs.value, now);
    this.dropped = new TokenBucket(LIMITS.dropped.value, now);
    this.controls = new TokenBucket(LIMITS.controls.value, now);
    socket.on('ping', () => this.#control());
    socket.on('pong', (payload) => {
      this.#control();
      if (payload.equals(this.#marker)) this.#markerOut = false;
    });
  }

  get isOpen() {
    return this.socket.readyState === this.socket.OPEN;
  }

  /**
   * A message is thrown away and counted; whoever keeps on is thrown out.
   * @param {string} kind
   */
  drop(kind) {
    this.counters.dropped(kind);
    if (!this.dropped.take(performance.now())) this.throwOut('too many bad messages');
  }

  /** Accounts for a ping or a pong, which ws reports one by one and answers by itself. */
  #control() {
    this.heardAt = performance.now();
    if (this.controls.take(this.heardAt) || !this.isOpen) return;
    this.counters.dropped('control-flood');
    this.throwOut('too many pings or pongs');
  }

  /**
   * Closes the connection and reads nothing more from it: ws would parse whatever comes until the client
   * has answered.
   * @param {string} reason
   */
  throwOut(reason) {
    this.counters.dropped('thrown-out');
    this.socket.close(CLOSE.policy, reason);
    this.socket.pause();
    setTimeout(() => this.socket.terminate(), LIMITS.goodbyeMs.value).unref();
  }

  /** @param {object} message */
  send(message) {
    this.sendText(JSON.stringify(message));
  }

  /** @param {string} text */
  sendText(text) {
    if (!this.isOpen) return;
    if (this.socket.bufferedAmount > LIMITS.textBacklogBytes.value) {
      this.counters.dropped('never-reads');
      this.socket.terminate();
      return;
    }
    this.counters.sent(Buffer.byteLength(text));
    this.socket.send(text);
  }

  /** @param {unknown} error told when it is one of pitv's own, else only that something failed */
  sendError(error) {
    const own = error instanceof PitvError;
    this.send({
      t: 'error',
      code: own ? error.code : 'PITV_INTERNAL',
      message: own ? error.message : 'Something went wrong in the TV.',
    });
  }

  /**
   * @param {Buffer} frame shared with other connections: ws never writes into it, for a server
   *   sends unmasked
   * @param {number} now ms
   * @returns {boolean} false: skipped, because the client is behind
   */
  sendFrame(frame, now) {
    const { socket } = this;
    if (!this.isOpen) return false;
    if (
      socket.bufferedAmount > LIMITS.frameBacklogBytes.value ||
      this.unreadMs(now) > MARKER_LATE_MS
    ) {
      return false;
    }
    socket.send(frame, { binary: true });
    if (now - this.#markerSentAt > MARKER_EVERY_MS) this.ping(now);
    return true;
  }

  /**
   * Pings the client unless its answer to the last ping is still out.
   * @param {number} now ms
   */
  ping(now) {
    if (!this.isOpen || this.#markerOut) return;
    this.#markerOut = true;
    this.#markerSentAt = now;
    this.#marker = randomBytes(MARKER_BYTES);
    this.socket.ping(this.#marker);
  }

  /** @param {number} now ms @returns {number} for how long a ping has been without its answer, ms */
  unreadMs(now) {
    return this.#markerOut ? now - this.#markerSentAt : 0;
  }

  /** @param {number} code @param {string} reason */
  close(code, reason) {
    this.socket.close(code, reason);
  }
}
