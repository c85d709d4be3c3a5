import { setTv } from './request.js';

/**
 * A WebSocket that reconnects. It says hello on each connect, measures the round trip, detects a silent
 * connection, and waits longer after each failed attempt.
 *
 * @typedef {{firstMs: number, maxMs: number}} Range of the delays before the next attempt to connect
 * @typedef {'connecting' | 'open' | 'waiting' | 'closed'} ConnectionState
 * @typedef {object} ConnectionOptions
 * @property {string} [url] default: that of the page's TV
 * @property {() => object} hello what the first message of each connection says
 * @property {Record<string, (message: any) => unknown>} handlers of messages, by their type; not of ping and pong
 * @property {(frame: ArrayBuffer) => void} [onFrame] called for each binary message
 * @property {(state: ConnectionState) => void} [onState] also called when the round trip changes
 * @property {(reason: 'replaced' | 'removed') => void} [onDismissed] the same player has connected
 *   from another page, or the admin has removed the player; the connection is not reopened
 * @property {any} [WebSocket] class, default: the browser's
 */

const PING_MS = 400;
const SILENCE_MS = 3000;
/** The page says after this time that the TV does not answer, or that a match stands still. */
export const SILENT_MS = 1000;
/** Timeout of the check after the page was in the background. */
const PROBE_MS = 1500;
/**
 * The same for a fleet, whose other nodes take over within a second: times of silence, and until a node that does not
 * answer is given up.
 */
const FLEET_SILENCE_MS = 1200;
const FLEET_CONNECT_MS = 700;
const FLEET_BACKOFF = { firstMs: 50, maxMs: 500 };
export const BACKOFF = Object.freeze({ firstMs: 250, maxMs: 5000 });
/** Inputs are not queued behind more unsent bytes than this, because an old input is useless. */
const MAX_BUFFERED_BYTES = 512;
/** What a person has asked for is sent after a reconnect, unless it took longer than this. */
const REQUEST_MS = 10_000;
const RTT_SMOOTHING = 0.3;
/** By the close codes of app/server/connection.js. @type {Record<number, 'replaced' | 'removed'>} */
const DISMISSALS = { 4000: 'replaced', 4002: 'removed' };

export class Connection {
  /** @type {ConnectionState} */
  state = 'closed';
  /** Smoothed round-trip time, ms; NaN until the first pong. */
  rttMs = NaN;
  /** Number of failed attempts since the last welcome. */
  attempts = 0;
  /** @type {ConnectionOptions} */
  #options;
  /** @type {any} */
  #socket = null;
  #receivedAt = 0;
  #isSilent = false;
  /** Of the next attempt, of a connection that is not made yet, or of the pings. */
  #timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  /** The last request that may not have arrived. @type {{message: object, until: number} | null} */
  #request = null;
  /** Websockets of the page's TV, and of all TVs of its fleet. The connected one is first. @type {string[]} */
  #nodes;

  /** @param {ConnectionOptions} options */
  constructor(options) {
    this.#options = options;
    this.#nodes = [options.url ?? toSocketUrl(location.href)];
  }

  /** The state for people: a connection on which the TV does not answer looks lost. @returns {ConnectionState} */
  get shownState() {
    return this.state === 'open' && this.#isSilent ? 'waiting' : this.state;
  }

  /** Connects now instead of waiting. Does nothing if there is a connection. */
  open() {
    if (this.#socket) return;
    clearTimeout(this.#timer);
    const { WebSocket = globalThis.WebSocket } = this.#options;
    this.#setState('connecting');
    const socket = new WebSocket(this.#nodes[0]);
    this.#socket = socket;
    if (this.#nodes.length > 1) {
      this.#timer = setTimeout(() => this.#retryLater(), FLEET_CONNECT_MS);
    }
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => this.#onOpen();
    socket.onmessage = (/** @type {{data: any}} */ event) => this.#onData(event.data);
    socket.onclose = (/** @type {{code: number}} */ { code }) => {
      const reason = DISMISSALS[code];
      if (!reason) return this.#retryLater();
      this.close();
      return this.#options.onDismissed?.(reason);
    };
    socket.onerror = () => {}; // a close event follows
  }

  /** Closes the connection without reconnecting. open() connects again. */
  close() {
    this.#drop();
    this.attempts = 0;
    this.#setState('closed');
  }

  /** Drops the connection and connects again at once. */
  reopen() {
    this.#drop();
    this.open();
  }

  /** Checks the connection. Call it when the page is shown again: phones close sockets of hidden pages silently. */
  probe() {
    if (this.state === 'closed') return;
    if (!this.#socket) return this.open();
    const socket = this.#socket;
    const pingedAt = performance.now();
    this.#ping();
    setTimeout(() => {
      if (socket === this.#socket && this.#receivedAt < pingedAt) this.reopen();
    }, PROBE_MS);
  }

  /** Sends a message. @param {object} message @returns {boolean} false if there is no connection */
  send(message) {
    if (this.#socket?.readyState !== 1) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Sends what a person has asked for, now or after the next welcome. @param {object} message */
  request(message) {
    const isSent = this.state === 'open' && this.send(message);
    // A connection that is silent may be dead; one that revives has sent it.
    this.#request =
      isSent && !this.#isSilent ? null : { message, until: performance.now() + REQUEST_MS };
  }

  /** Sends bytes. @param {Uint8Array} bytes @returns {boolean} false if there is no connection or too much is queued */
  sendBytes(bytes) {
    if (this.state !== 'open' || this.#socket?.readyState !== 1) return false;
    if (this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) return false;
    this.#socket.send(bytes);
    return true;
  }

  #onOpen() {
    this.#receivedAt = performance.now();
    this.#isSilent = false;
    clearTimeout(this.#timer);
    this.send({ t: 'hello', ...this.#options.hello() });
    this.#timer = setInterval(() => this.#checkSilence(), PING_MS);
  }

  /** Learns the addresses of all TVs of a fleet. @param {unknown[]} urls of pages */
  #setNodes(urls) {
    const sockets = urls.filter((url) => typeof url === 'string').map((url) => toSocketUrl(url));
    const [current] = this.#nodes;
    this.#nodes = [current, ...sockets.filter((url) => url !== current)];
  }

  #checkSilence() {
    const silenceMs = this.#nodes.length > 1 ? FLEET_SILENCE_MS : SILENCE_MS;
    const silentMs = performance.now() - this.#receivedAt;
    if (silentMs > silenceMs) return this.#retryLater();
    this.#setSilent(silentMs > SILENT_MS);
    if (this.state === 'open') this.#ping();
  }

  /** @param {boolean} isSilent */
  #setSilent(isSilent) {
    if (isSilent === this.#isSilent) return;
    this.#isSilent = isSilent;
    if (!isSilent && this.state === 'open') this.#request = null;
    this.#options.onState?.(this.state);
  }

  #ping() {
    this.send({ t: 'ping', at: Math.round(performance.now()) });
  }

  /** @param {any} data */
  #onData(data) {
    this.#receivedAt = performance.now();
    this.#setSilent(false);
    if (typeof data !== 'string') return this.#options.onFrame?.(data);
    const message = JSON.parse(data);
    if (message.t === 'ping') return void this.send({ t: 'pong', at: message.at });
    if (message.t === 'pong') return this.#onPong(message.at);
    if (Array.isArray(message.nodes)) this.#setNodes(message.nodes);
    if (message.t === 'welcome') {
      this.attempts = 0;
      if (this.#nodes.length > 1) setTv(this.#nodes[0]);
      this.#setState('open');
      this.#ping();
    }
    this.#options.handlers[message.t]?.(message);
    const { message: request, until = 0 } = this.#request ?? {};
    if (message.t !== 'welcome' || !request) return;
    this.#request = null;
    if (performance.now() < until) this.send(request);
  }

  /** @param {unknown} at */
  #onPong(at) {
    if (typeof at !== 'number') return;
    const rttMs = Math.max(0, performance.now() - at);
    const before = Number.isNaN(this.rttMs) ? rttMs : this.rttMs;
    this.rttMs = before + (rttMs - before) * RTT_SMOOTHING;
    this.#options.onState?.(this.state);
  }

  /** Closes the socket, which reports nothing any more. */
  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    clearTimeout(this.#timer);
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #retryLater() {
    this.#drop();
    this.rttMs = NaN;
    const [failed, ...others] = this.#nodes;
    this.#nodes = [...others, failed];
    const range = others.length > 0 ? FLEET_BACKOFF : BACKOFF;
    this.#timer = setTimeout(() => this.open(), backoffMs(this.attempts++, range));
    this.#setState('waiting');
  }

  /** @param {ConnectionState} state */
  #setState(state) {
    this.state = state;
    this.#options.onState?.(state);
  }
}

/**
 * Computes a delay: exponential with jitter, so that phones do not all reconnect in the same millisecond after the TV
 * has restarted.
 * @param {number} attempt 0 for the first attempt after the connection was lost
 * @param {Range} range @param {() => number} [random] 0..1
 * @returns {number} milliseconds, between half of the step and the step
 */
export function backoffMs(attempt, { firstMs, maxMs }, random = Math.random) {
  const step = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 16));
  return step / 2 + (step / 2) * random();
}

/** Returns the address of a TV's WebSocket. @param {string} url of a page */
const toSocketUrl = (url) => `${new URL(url).origin.replace(/^http/, 'ws')}/ws`;
