/** A phone or a screen of a fleet: a websocket that moves to another node when its own does not answer. */
import { once } from 'node:events';
import WebSocket from 'ws';
import { readClock } from '../../app/game/frame-reader.js';

/** @typedef {{[key: string]: any, t: string}} Message */

export class Client {
  /** @type {Message[]} */
  messages = [];
  /** Times at which frames have come, ms. @type {number[]} */
  frames = [];
  /** @type {Buffer | undefined} */
  lastFrame;
  /** @type {any} */
  token;
  /** @type {WebSocket | undefined} */
  #socket;

  /** @param {object} hello */
  constructor(hello) {
    this.hello = hello;
  }

  /** Connects to a node, also after another one. @param {{url: string}} node @returns {Promise<this>} */
  async connect({ url }) {
    this.#socket?.terminate();
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('message', (data, isBinary) => this.#receive(/** @type {Buffer} */ (data), isBinary));
    await once(socket, 'open');
    const from = this.messages.length;
    this.send({ t: 'hello', ...this.hello, ...(this.token && { token: this.token }) });
    const welcome = await this.wait('welcome', () => true, from);
    this.token = welcome.token;
    return this;
  }

  /** @param {Buffer} data @param {boolean} isBinary */
  #receive(data, isBinary) {
    if (!isBinary) return void this.messages.push(JSON.parse(data.toString()));
    this.frames.push(performance.now());
    this.lastFrame = data;
    return undefined;
  }

  /** @param {object} message */
  send(message) {
    this.#socket?.send(JSON.stringify(message));
  }

  /** Sends the state of a pad. @param {number} x -127..127 @param {number} y @param {number} [buttons] @param {number} [presses] of A */
  input(x, y, buttons = 0, presses = 0) {
    const bytes = Buffer.from([1, 0, 0, buttons, presses & 255, 0, 0, 0]);
    bytes.writeInt8(x, 1);
    bytes.writeInt8(y, 2);
    this.#socket?.send(bytes);
  }

  /** The newest message of a type. @param {string} type @returns {Message | undefined} */
  last(type) {
    return this.messages.findLast(({ t }) => t === type);
  }

  /** The tick clock of the newest whole frame. */
  get clock() {
    return this.lastFrame && readClock(this.lastFrame);
  }

  /**
   * Waits for a message.
   * @param {string} type @param {(message: Message) => boolean} [isIt] @param {number} [from] index of the first message
   * @returns {Promise<Message>}
   */
  async wait(type, isIt = () => true, from = 0, timeoutMs = 10_000) {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const found = this.messages
        .slice(from)
        .find((message) => message.t === type && isIt(message));
      if (found) return found;
      if (performance.now() > end) throw new Error(`no message "${type}"`);
      await new Promise((done) => setTimeout(done, 5));
    }
  }

  /** Waits until frames come again. @param {number} since ms @returns {Promise<number>} when the first one has come, ms */
  async nextFrame(since, timeoutMs = 15_000) {
    for (const end = performance.now() + timeoutMs; performance.now() < end;) {
      const at = this.frames.find((time) => time > since);
      if (at !== undefined) return at;
      await new Promise((done) => setTimeout(done, 5));
    }
    throw new Error('no frame');
  }

  close() {
    this.#socket?.terminate();
  }
}

/** Opens a screen at a node. @param {{url: string}} node */
export const openScreen = (node) => new Client({ role: 'screen' }).connect(node);
/** Opens a pad at a node. @param {{url: string}} node @param {string} code @param {string} name */
export const openPad = (node, code, name) => new Client({ role: 'pad', code, name }).connect(node);
