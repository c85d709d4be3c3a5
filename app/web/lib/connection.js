import { backoffMs } from './backoff.js';

/**
 * A web socket that comes back: greets on each connect, measures the round trip, notices a silent
 * line, and waits longer between attempts. A page says what to greet with and what to do with what
 * comes; it never sees a socket.
 *
 * @typedef {'connecting' | 'open' | 'waiting' | 'closed'} ConnectionState
 * @typedef {object} ConnectionOptions
 * @property {string} url
 * @property {() => object} hello the first message of each connection
 * @property {(message: any) => void} onMessage each JSON message but ping and pong
 * @property {(frame: ArrayBuffer) => void} [onFrame] each binary message
 * @property {(state: ConnectionState) => void} [onState] also called on each new round-trip figure
 * @property {(reason: 'replaced' | 'removed') => void} [onDismissed] the same player is connected from
 *   elsewhere now, or the admin has removed the player; the page does not connect again by itself
 * @property {any} [WebSocket] the browser's, or another with the same interface
 * @property {{firstMs?: number, maxMs?: number}} [backoff]
 * @property {number} [pingMs] between two pings
 * @property {number} [silenceMs] a line that says nothing for so long is given up
 */

const PING_MS = 2000;
const SILENCE_MS = 6500;
/** After the page was in the background: how long a line may take to show that it lives. */
const PROBE_MS = 1500;
/** Inputs are not queued behind more than this many unsent bytes: an old input is worth nothing. */
const MAX_BUFFERED_BYTES = 512;
const RTT_SMOOTHING = 0.3;
/** Close codes of app/server/connection.js. */
const CLOSE_REPLACED = 4000;
const CLOSE_REMOVED = 4002;

export class Connection {
  /** @type {ConnectionState} */
  state = 'closed';
  /** Smoothed round trip, ms; NaN until the first one. */
  rttMs = NaN;
  /** Connects that failed since the last welcome. */
  attempts = 0;
  /** @type {ConnectionOptions} */
  #options;
  /** @type {any} */
  #socket = null;
  #heardAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retryTimer;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #pingTimer;

  /** @param {ConnectionOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /** Connects now, also when it was waiting; a connection that stands is left alone. */
  open() {
    clearTimeout(this.#retryTimer);
    if (this.#socket) return;
    const { url, WebSocket = globalThis.WebSocket } = this.#options;
    this.#setState('connecting');
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => this.#onOpen(socket);
    socket.onmessage = (/** @type {{data: any}} */ event) => {
      if (socket === this.#socket) this.#onData(event.data);
    };
    socket.onclose = (/** @type {{code: number, reason: string}} */ event) => {
      const dismissed = event.code === CLOSE_REPLACED || event.code === CLOSE_REMOVED;
      if (dismissed && socket === this.#socket) {
        this.close();
        this.#options.onDismissed?.(event.code === CLOSE_REMOVED ? 'removed' : 'replaced');
      } else this.#lost(socket);
    };
    socket.onerror = () => {}; // a close event follows, and says all there is to know
  }

  /** Ends it for good; open() starts anew. */
  close() {
    clearTimeout(this.#retryTimer);
    this.#drop();
    this.attempts = 0;
    this.#setState('closed');
  }

  /** Drops the line and connects again at once, with a fresh greeting. */
  reopen() {
    this.#drop();
    this.open();
  }

  /** Call when the page is shown again: phones kill sockets of hidden pages without a word. */
  probe() {
    if (this.state === 'closed') return;
    if (!this.#socket) return this.open();
    const socket = this.#socket;
    const askedAt = performance.now();
    this.#ping();
    setTimeout(() => {
      if (socket === this.#socket && this.#heardAt < askedAt) this.reopen();
    }, PROBE_MS);
  }

  /** @param {object} message @returns {boolean} false: there is no line, nothing was sent */
  send(message) {
    if (this.#socket?.readyState !== 1) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** @param {Uint8Array} bytes @returns {boolean} false: no line, or it is backed up; try again later */
  sendBytes(bytes) {
    if (this.state !== 'open' || this.#socket?.readyState !== 1) return false;
    if (this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) return false;
    this.#socket.send(bytes);
    return true;
  }

  /** @param {any} socket */
  #onOpen(socket) {
    if (socket !== this.#socket) return;
    this.#heardAt = performance.now();
    this.send(this.#options.hello());
    clearInterval(this.#pingTimer);
    this.#pingTimer = setInterval(() => this.#beat(), this.#options.pingMs ?? PING_MS);
  }

  #beat() {
    if (performance.now() - this.#heardAt > (this.#options.silenceMs ?? SILENCE_MS)) {
      this.#lost(this.#socket);
    } else if (this.state === 'open') this.#ping();
  }

  #ping() {
    this.send({ t: 'ping', at: Math.round(performance.now()) });
  }

  /** @param {any} data */
  #onData(data) {
    this.#heardAt = performance.now();
    if (typeof data !== 'string') return this.#options.onFrame?.(data);
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return; // not ours; the next one may be
    }
    if (message === null || typeof message !== 'object') return;
    if (message.t === 'ping') return void this.send({ t: 'pong', at: message.at });
    if (message.t === 'pong') return this.#onPong(message.at);
    if (message.t === 'welcome') {
      this.attempts = 0;
      this.#setState('open');
      this.#ping();
    }
    this.#options.onMessage(message);
  }

  /** @param {unknown} at */
  #onPong(at) {
    if (typeof at !== 'number') return;
    const rttMs = Math.max(0, performance.now() - at);
    this.rttMs = Number.isNaN(this.rttMs)
      ? rttMs
      : this.rttMs + (rttMs - this.rttMs) * RTT_SMOOTHING;
    this.#options.onState?.(this.state);
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    clearInterval(this.#pingTimer);
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  /** @param {any} socket */
  #lost(socket) {
    if (socket !== this.#socket || this.state === 'closed') return;
    this.#drop();
    this.rttMs = NaN;
    const waitMs = backoffMs(this.attempts++, this.#options.backoff);
    this.#retryTimer = setTimeout(() => this.open(), waitMs);
    this.#setState('waiting');
  }

  /** @param {ConnectionState} state */
  #setState(state) {
    this.state = state;
    this.#options.onState?.(state);
  }
}

/** @returns {string} the address of this page's own web socket */
export function socketUrl() {
  return location.origin.replace(/^http/, 'ws') + '/ws';
}

/**
 * The mark that says how good the line is.
 * @param {ConnectionState} state @param {number} rttMs NaN: not known
 * @returns {{level: 'good' | 'fair' | 'bad' | 'lost', text: string}}
 */
export function linkMark(state, rttMs) {
  if (state === 'connecting' || state === 'waiting') return { level: 'lost', text: 'reconnecting' };
  if (state === 'closed') return { level: 'lost', text: 'offline' };
  const level = !(rttMs > 40) ? 'good' : rttMs <= 110 ? 'fair' : 'bad';
  return { level, text: Number.isNaN(rttMs) ? '' : `${Math.round(rttMs)} ms` };
}
