/** One websocket, with the limits on its messages. */
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { PitvError } from '../errors.js';
import { clientKey } from '../limits/client-key.js';
import { LIMITS } from '../limits/table.js';
import { TokenBucket } from '../limits/token-bucket.js';

/**
 * Frames are skipped while a ping has been unanswered for this time. The kernel's send buffer can hold megabytes of
 * frames that the client has not read; a ping that is sent after them shows the delay.
 */
const MAX_PING_MS = 250;
const PING_INTERVAL_MS = 150;
const PING_BYTES = 8;

/** Close codes; those from 4000 are private (RFC 6455, section 7.4.2). */
export const CLOSE = Object.freeze({
  replaced: 4000,
  noHello: 4001,
  removed: 4002,
  goingAway: 1001,
  policy: 1008,
});

/** What clients get to know of an error that nobody expected. */
export const INTERNAL = Object.freeze({
  code: 'PITV_INTERNAL',
  message: 'An unexpected error occurred in the TV.',
});

let lastId = 0;

export class Connection {
  /** @type {'screen' | 'pad' | undefined} */
  role;
  /** Time of the last message, ping or pong, ms. */
  heardAt = performance.now();
  /** Payload of the last ping. It is random, so that a client can answer only after reading it. */
  #pingPayload = Buffer.alloc(0);
  #pingedAt = -Infinity;
  #awaitsPong = false;
  /** Whether frames were sent after the last ping. */
  #sentSincePing = false;
  /** Whether frames are skipped until the client has read all earlier ones. */
  #isBehind = false;
  /** The last text of sendState(). */
  #state = '';
  /** Whether the client is a screen that reads differences between frames. */
  readsDifferences = false;

  /**
   * @param {import('ws').WebSocket} socket @param {string} address of the client
   * @param {import('./metrics.js').Counters} counters
   */
  constructor(socket, address, counters) {
    const now = performance.now();
    this.id = ++lastId;
    this.socket = socket;
    this.address = address;
    this.client = clientKey(address); // under which its limits are counted
    this.counters = counters;
    this.texts = new TokenBucket(LIMITS.texts.value, now);
    this.inputs = new TokenBucket(LIMITS.inputs.value, now);
    this.dropped = new TokenBucket(LIMITS.dropped.value, now);
    this.controls = new TokenBucket(LIMITS.controls.value, now);
    socket.on('ping', () => this.#countControl());
    socket.on('pong', (payload) => {
      this.#countControl();
      if (!payload.equals(this.#pingPayload)) return;
      this.#awaitsPong = false;
      if (this.#isBehind && this.#sentSincePing) this.ping(performance.now());
      else this.#isBehind = false;
    });
  }

  get isOpen() {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Counts a message that is ignored. Closes the connection if there are too many. @param {string} kind */
  dropMessage(kind) {
    this.counters.dropped(kind);
    if (!this.dropped.take(performance.now())) this.closeForViolation('too many bad messages');
  }

  /** Counts a ping or a pong. ws answers pings itself. */
  #countControl() {
    this.heardAt = performance.now();
    if (this.controls.take(this.heardAt) || !this.isOpen) return;
    this.counters.dropped('control-flood');
    this.closeForViolation('too many pings or pongs');
  }

  /** Closes the connection with code 1008, and stops to read. @param {string} reason */
  closeForViolation(reason) {
    this.counters.dropped('thrown-out');
    this.socket.close(CLOSE.policy, reason);
    this.socket.pause();
    setTimeout(() => this.socket.terminate(), LIMITS.goodbyeMs.value).unref();
  }

  /** Sends a message as JSON. @param {object} message */
  send(message) {
    this.sendText(JSON.stringify(message));
  }

  /** Sends a text message. Ends the connection if the client does not read. @param {string} text */
  sendText(text) {
    if (!this.isOpen) return;
    if (this.socket.bufferedAmount > LIMITS.textBacklogBytes.value) {
      this.counters.dropped('never-reads');
      this.socket.terminate();
      return;
    }
    this.counters.bytesSent += Buffer.byteLength(text);
    this.socket.send(text);
  }

  /** Sends a state, unless it is that of the last call. @param {string} text */
  sendState(text) {
    if (text === this.#state) return;
    this.#state = text;
    this.sendText(text);
  }

  /** Sends an error message. Only a PitvError is described to the client. @param {unknown} error */
  sendError(error) {
    const { code, message } = error instanceof PitvError ? error : INTERNAL;
    this.send({ t: 'error', code, message });
  }

  /** Tells whether the network has taken all frames and the client is not behind. @param {number} now ms */
  hasRoom(now) {
    if (!this.isOpen || this.socket.bufferedAmount > 0) return false;
    this.#isBehind ||= this.unansweredMs(now) > MAX_PING_MS;
    return !this.#isBehind;
  }

  /**
   * Sends a frame.
   * @param {Buffer} frame shared with other connections; ws does not change it, because servers do not mask
   * @param {number} now ms
   */
  sendFrame(frame, now) {
    this.socket.send(frame, { binary: true });
    this.#sentSincePing = true;
    if (now - this.#pingedAt > PING_INTERVAL_MS) this.ping(now);
  }

  /** Pings the client, unless it has not answered the last ping yet. @param {number} now ms */
  ping(now) {
    if (!this.isOpen || this.#awaitsPong) return;
    this.#awaitsPong = true;
    this.#sentSincePing = false;
    this.#pingedAt = now;
    this.#pingPayload = randomBytes(PING_BYTES);
    this.socket.ping(this.#pingPayload);
  }

  /** Returns the time for which the last ping has been unanswered. @param {number} now ms @returns {number} ms */
  unansweredMs(now) {
    return this.#awaitsPong ? now - this.#pingedAt : 0;
  }
}
