/** A pad without a browser. Joins over the websocket as a phone does, requests a key, and sends inputs in datagrams. */
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { EventEmitter, on, once } from 'node:events';
import { WebSocket } from 'ws';
import { PitvError, messageOf } from '../errors.js';
import { RELEASED, VERSION, encodeDatagram } from './datagram.js';
import { nativeUdp } from './native-udp.js';

/** The state is sent at each change, and repeated, because a datagram may get lost. */
const REPEAT_MS = 50;
/** Minimum time between two datagrams; a TV accepts 200 a second. */
const MIN_INTERVAL_MS = 8;
const PING_MS = 5000;
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * A native pad. Emits 'match' ({match, slot, title}), 'ended' ({message, results}), 'notice' (sentence), 'problem'
 * (PitvError) when the TV refuses a message, and 'close' (reason) once.
 */
export class UdpPad extends EventEmitter {
  #socket;
  #datagrams;
  #address;
  #port = 0;
  #key = Buffer.alloc(0);
  #input = { match: 0, pad: 0, sequence: 0, slot: 0, ...RELEASED };
  /** Whether this pad sits in a match. */
  seated = false;
  #sentAt = -Infinity;
  /** @type {NodeJS.Timeout | undefined} */
  #sendTimer;
  /** @type {NodeJS.Timeout[]} */
  #timers = [];
  /** The number of datagrams sent. */
  sent = 0;

  /** @param {WebSocket} socket open @param {string} address of the TV */
  constructor(socket, address) {
    super();
    this.#socket = socket;
    this.#address = address;
    this.#datagrams = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    this.#datagrams.on('error', () => {}); // the TV may be unreachable for a moment
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.#onMessage(JSON.parse(String(data)));
    });
    socket.on('close', (code, reason) => {
      this.#stop();
      this.emit('close', String(reason) || `connection closed ${code}`);
    });
    socket.on('error', () => {}); // 'close' follows
  }

  /**
   * Joins a TV and requests a key.
   * @param {object} options
   * @param {string} options.tv HOST[:PORT] of its pages, after https:// if the TV has a certificate
   * @param {string} options.code @param {string} [options.name]
   * @throws {PitvError} PITV_UDP_ADDON, PITV_TV_UNREACHABLE, PITV_CODE_WRONG, PITV_UDP_OFF and other codes of the TV
   */
  static async join({ tv, code, name }) {
    nativeUdp(); // throws early: the addon signs the datagrams
    const url = new URL('/ws', tv.startsWith('https://') ? tv : `http://${tv}`);
    /** @type {WebSocket} */
    let socket;
    let address;
    try {
      ({ address } = await lookup(url.hostname.replace(/^\[|\]$/g, '')));
      socket = new WebSocket(url, { handshakeTimeout: ANSWER_TIMEOUT_MS });
      await once(socket, 'open');
    } catch (cause) {
      const sentence = `No TV answers at ${tv}: ${messageOf(cause)}. Its address is on its screen.`;
      throw new PitvError('PITV_TV_UNREACHABLE', sentence, { cause });
    }
    const pad = new UdpPad(socket, address);
    try {
      await pad.#request({ t: 'hello', role: 'pad', code, name }, 'welcome');
      pad.#useKey(await pad.#request({ t: 'udp' }, 'udp'));
    } catch (error) {
      pad.close();
      throw error;
    }
    return pad;
  }

  /** @type {{id: number, name: string, color: string} | undefined} */
  player;

  /** Sends a message over the websocket; see the protocol of pads. @param {object} message */
  send(message) {
    this.#socket.send(JSON.stringify(message));
  }

  /**
   * Changes the state of the stick (-127..127) and the buttons (bit 0: A, bit 1: B), and sends it. A button that goes
   * down counts as a press.
   * @param {Partial<{x: number, y: number, buttons: number}>} state
   */
  set(state) {
    const before = this.#input.buttons;
    Object.assign(this.#input, state);
    const down = this.#input.buttons & ~before;
    if (down & 1) this.#input.pressesA = (this.#input.pressesA + 1) & 0xff;
    if (down & 2) this.#input.pressesB = (this.#input.pressesB + 1) & 0xff;
    const wait = this.#sentAt + MIN_INTERVAL_MS - performance.now();
    if (wait <= 0) this.#sendDatagram();
    else this.#sendTimer ??= setTimeout(() => this.#sendDatagram(), wait);
  }

  get buttons() {
    return this.#input.buttons;
  }

  /** Leaves the TV. Idempotent. */
  close() {
    this.#socket.close();
    this.#stop();
  }

  #sendDatagram() {
    clearTimeout(this.#sendTimer);
    this.#sendTimer = undefined;
    if (!this.seated) return;
    this.#input.sequence++;
    this.#sentAt = performance.now();
    this.sent++;
    const bytes = encodeDatagram(this.#input, this.#key);
    this.#datagrams.send(bytes, this.#port, this.#address, () => {});
  }

  /** @param {{version: number, port: number, pad: number, key: string}} grant */
  #useKey({ version, port, pad, key }) {
    if (version !== VERSION) {
      const sentence = `The TV uses version ${version} of the datagrams, this pad version ${VERSION}.`;
      throw new PitvError('PITV_UDP_VERSION', sentence);
    }
    this.#port = port;
    this.#key = Buffer.from(key, 'hex');
    Object.assign(this.#input, { pad, sequence: 0 });
    this.#timers = [
      setInterval(() => this.#sendDatagram(), REPEAT_MS),
      setInterval(() => this.send({ t: 'ping', at: performance.now() }), PING_MS),
    ];
  }

  /** @param {any} message of the TV */
  #onMessage(message) {
    switch (message.t) {
      case 'welcome':
        this.player = message.player;
        break;
      case 'match':
        Object.assign(this.#input, { match: message.match, slot: message.slot });
        this.seated = true;
        this.emit('match', message);
        break;
      case 'ended':
        this.seated = false;
        this.emit('ended', message);
        break;
      case 'notice':
        this.emit('notice', message.message);
        break;
      case 'ping':
        this.send({ t: 'pong', at: message.at });
        break;
      case 'error':
        this.emit('problem', new PitvError(message.code, message.message));
        break;
    }
    this.emit('message', message);
  }

  /**
   * Sends a message and waits for the answer.
   * @param {object} question @param {string} answerType
   * @throws {PitvError} PITV_TV_UNREACHABLE, and the codes of the TV
   */
  async #request(question, answerType) {
    let why = 'The TV does not answer.';
    this.once('close', (reason) => (why = `The TV closed the connection: ${reason}.`));
    this.send(question);
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    try {
      for await (const [message] of on(this, 'message', { close: ['close'], signal })) {
        if (message.t === answerType) return message;
        if (message.t === 'error') throw new PitvError(message.code, message.message);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    throw new PitvError('PITV_TV_UNREACHABLE', why);
  }

  /** Stops sending. Idempotent. */
  #stop() {
    this.seated = false;
    clearTimeout(this.#sendTimer);
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    try {
      this.#datagrams.close();
    } catch {
      // The socket is closed already.
    }
  }
}
