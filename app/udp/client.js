/**
 * A pad without a browser: joins over the websocket as a phone does, asks for a key, and sends its
 * inputs in datagrams.
 */
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { EventEmitter } from 'node:events';
import { WebSocket } from 'ws';
import { PitvError, messageOf } from '../errors.js';
import { VERSION, encodeDatagram } from './datagram.js';
import { nativeUdp } from './native-udp.js';

/** A datagram may be lost, so the state is repeated; changes go out at once. */
const REPEAT_MS = 50;
/** But no more often than this; a TV takes 200 a second. */
const SPACING_MS = 8;
const PING_MS = 5000;
const ANSWER_MS = 10_000;

/**
 * Emits 'match' ({match, slot, title}), 'ended' ({message, results}), 'hud', 'notice' (sentence),
 * 'problem' (PitvError) for what the TV refuses later, and 'close' (reason) once.
 */
export class UdpPad extends EventEmitter {
  #socket;
  #datagrams;
  #address = '';
  #port = 0;
  #key = Buffer.alloc(0);
  #input = {
    match: 0,
    pad: 0,
    sequence: 0,
    slot: 0,
    x: 0,
    y: 0,
    buttons: 0,
    pressesA: 0,
    pressesB: 0,
  };
  #seated = false;
  #sentAt = -Infinity;
  /** @type {NodeJS.Timeout | undefined} */
  #soon;
  /** @type {NodeJS.Timeout[]} */
  #timers = [];
  /** How many datagrams went out. */
  sent = 0;

  /**
   * @param {WebSocket} socket open @param {string} address of the TV
   */
  constructor(socket, address) {
    super();
    this.#socket = socket;
    this.#address = address;
    this.#datagrams = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    this.#datagrams.on('error', () => {}); // unreachable for a moment
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.#heard(JSON.parse(String(data)));
    });
    socket.on('close', (code, reason) =>
      this.#closed(String(reason) || `connection closed ${code}`),
    );
    socket.on('error', () => {}); // 'close' follows
  }

  /**
   * @param {object} options
   * @param {string} options.tv HOST[:PORT] of its pages, after https:// when the TV has a certificate
   * @param {string} options.code @param {string} [options.name]
   * @returns {Promise<UdpPad>} a pad that has joined and has a key
   * @throws {PitvError} PITV_UDP_ADDON, PITV_TV_UNREACHABLE, PITV_CODE_WRONG, PITV_UDP_OFF and other codes of the TV
   */
  static async join({ tv, code, name }) {
    nativeUdp(); // signs the datagrams
    const { hostname, host, protocol } = new URL(tv.startsWith('https://') ? tv : `http://${tv}`);
    const scheme = protocol === 'https:' ? 'wss' : 'ws';
    const bare = hostname.replace(/^\[|\]$/g, '');
    /** @type {WebSocket} */
    let socket;
    let address;
    try {
      ({ address } = await lookup(bare));
      socket = await connected(
        new WebSocket(`${scheme}://${host}/ws`, { handshakeTimeout: ANSWER_MS }),
      );
    } catch (cause) {
      const sentence = `No TV answers at ${tv}: ${messageOf(cause)}. Its address is on its screen.`;
      throw new PitvError('PITV_TV_UNREACHABLE', sentence, { cause });
    }
    const pad = new UdpPad(socket, address);
    try {
      await pad.#ask({ t: 'hello', role: 'pad', code, name }, 'welcome');
      pad.#granted(await pad.#ask({ t: 'udp' }, 'udp'));
    } catch (error) {
      pad.close();
      throw error;
    }
    return pad;
  }

  /** @type {{id: number, name: string, color: string} | undefined} */
  player;

  /** What the TV takes: see the contract of pads. @param {object} message */
  send(message) {
    this.#socket.send(JSON.stringify(message));
  }

  /**
   * @param {Partial<{x: number, y: number, buttons: number}>} state of stick (-127..127) and buttons
   *   (bit 0: A, bit 1: B); a button that goes down is counted as pressed
   */
  set(state) {
    const before = this.#input.buttons;
    Object.assign(this.#input, state);
    const down = this.#input.buttons & ~before;
    if (down & 1) this.#input.pressesA = (this.#input.pressesA + 1) & 0xff;
    if (down & 2) this.#input.pressesB = (this.#input.pressesB + 1) & 0xff;
    const wait = this.#sentAt + SPACING_MS - performance.now();
    if (wait <= 0) this.#sendDatagram();
    else this.#soon ??= setTimeout(() => this.#sendDatagram(), wait);
  }

  get buttons() {
    return this.#input.buttons;
  }
  /** Has the TV told where this pad sits? */
  get seated() {
    return this.#seated;
  }

  /** Idempotent. */
  close() {
    this.#socket.close();
    this.#end();
  }

  #sendDatagram() {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    if (!this.#seated) return;
    this.#input.sequence++;
    this.#sentAt = performance.now();
    this.sent++;
    const bytes = encodeDatagram(this.#input, this.#key);
    this.#datagrams.send(bytes, this.#port, this.#address, () => {});
  }

  /** @param {{version: number, port: number, pad: number, key: string}} grant */
  #granted({ version, port, pad, key }) {
    if (version !== VERSION) {
      const sentence = `The TV speaks version ${version} of the datagrams, this pad ${VERSION}.`;
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

  /** @param {any} message */
  #heard(message) {
    switch (message.t) {
      case 'welcome':
        this.player = message.player;
        break;
      case 'match':
        Object.assign(this.#input, { match: message.match, slot: message.slot });
        this.#seated = true;
        this.emit('match', message);
        break;
      case 'ended':
        this.#seated = false;
        this.emit('ended', message);
        break;
      case 'hud':
        this.emit('hud', message);
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

  /** @param {object} question @param {string} answer its type @returns {Promise<any>} */
  #ask(question, answer) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        done();
        reject(new PitvError('PITV_TV_UNREACHABLE', 'The TV does not answer.'));
      }, ANSWER_MS);
      const onMessage = (/** @type {any} */ message) => {
        if (message.t !== answer && message.t !== 'error') return;
        done();
        if (message.t === 'error') reject(new PitvError(message.code, message.message));
        else resolve(message);
      };
      const onClose = (/** @type {string} */ reason) => {
        done();
        reject(new PitvError('PITV_TV_UNREACHABLE', `The TV closed the connection: ${reason}.`));
      };
      const done = () => {
        clearTimeout(timer);
        this.off('message', onMessage).off('close', onClose);
      };
      this.on('message', onMessage).on('close', onClose);
      this.send(question);
    });
  }

  /** @param {string} reason */
  #closed(reason) {
    this.#end();
    this.emit('close', reason);
  }

  #end() {
    this.#seated = false;
    clearTimeout(this.#soon);
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    try {
      this.#datagrams.close();
    } catch {
      // It is closed already.
    }
  }
}

/** @param {WebSocket} socket @returns {Promise<WebSocket>} */
function connected(socket) {
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });
}
