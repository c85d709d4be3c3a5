/** A phone or a screen without a browser, which keeps what it receives. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { PitvError } from '../../app/errors.js';
import { packPadInput } from '../../app/web/lib/input-sender.js';

const INPUT_MS = 1000 / 60;

/** The longest wait for an expected message, ms. It is read each time, because tests of slow boards set it. */
export const maxWaitMs = () => Number(process.env.PITV_TEST_TIMEOUT_MS ?? 60_000);

/**
 * @typedef {{url?: string, port?: string | number, code?: string}} Target a TV; one in a container has only a port
 * @typedef {import('ws').ClientOptions} Options
 */

export class Client {
  /** @type {any[]} JSON messages, the oldest first */
  messages = [];
  /** @type {Buffer | undefined} the newest */
  frame;
  /** Number of frames. */
  frames = 0;
  /** When frames have come, ms. @type {number[]} */
  frameTimes = [];
  /** @type {{code: number, reason: string} | undefined} */
  closed;
  /** With which a TV recognises the client; '' before the first welcome. */
  token = '';
  /** @type {WebSocket} */
  socket = /** @type {any} */ (undefined);
  #hello;
  #options;
  #wakes = new Set();
  #sequence = 0;

  /** @param {object} [hello] sent at once @param {Options} [options] */
  constructor(hello, options) {
    this.#hello = hello;
    this.#options = options;
  }

  /**
   * Connects to a TV, also after another one, as the same player.
   * @param {Target} tv @returns {Promise<this>} when the connection is open
   */
  async connect({ url, port }) {
    this.socket?.terminate();
    const base = url ?? `http://127.0.0.1:${port}`;
    const socket = new WebSocket(`${base.replace(/^http/, 'ws')}/ws`, this.#options);
    this.socket = socket;
    this.closed = undefined;
    socket.on('message', (data, isBinary) => {
      if (isBinary) {
        this.frame = /** @type {Buffer} */ (data);
        this.frames++;
        this.frameTimes.push(performance.now());
      } else {
        const message = JSON.parse(String(data));
        if (message.t === 'welcome') {
          this.token = message.token;
          this.#hello = { ...this.#hello, token: message.token };
        }
        this.messages.push(message);
      }
      this.#wake();
    });
    socket.on('close', (code, reason) => {
      if (this.socket === socket) this.closed = { code, reason: String(reason) };
      this.#wake();
    });
    socket.on('error', () => {});
    await once(socket, 'open');
    if (this.#hello) this.send(this.#hello);
    return this;
  }

  #wake() {
    for (const wake of [...this.#wakes]) wake();
  }

  /** @param {Target} tv @param {object} [hello] @param {Options} [options] */
  static connect(tv, hello, options) {
    return new Client(hello, options).connect(tv);
  }

  /** @param {Target} tv @param {object} [more] further fields of the hello @param {Options} [options] */
  static async screen(tv, more, options) {
    const client = await Client.connect(tv, { t: 'hello', role: 'screen', ...more }, options);
    await client.next('welcome');
    return client;
  }

  /** @param {Target} tv @param {object} [more] further fields of the hello @param {Options} [options] */
  static async pad(tv, more, options) {
    const hello = { t: 'hello', role: 'pad', code: tv.code, ...more };
    const client = await Client.connect(tv, hello, options);
    await client.next('welcome');
    return client;
  }

  /**
   * Connects, and waits until the TV has sent its welcome. Messages are not compressed.
   * @param {Target} tv
   * @throws {PitvError} PITV_PROFILE_LOAD with the reason why the TV refused
   */
  async join(tv) {
    this.#options = { ...this.#options, perMessageDeflate: false };
    const from = this.messages.length;
    await this.connect(tv);
    const find = () => this.messages.slice(from).find(({ t }) => /^(welcome|error)$/.test(t));
    const { t, message, code } = await this.until(() => find() ?? this.closed, '"welcome"');
    if (t === 'welcome') return this;
    const closed = `The TV closed the connection (${code}).`;
    throw new PitvError('PITV_PROFILE_LOAD', message ?? closed);
  }

  /** @param {object} message */
  send(message) {
    this.socket.send(JSON.stringify(message));
  }

  /** Sends a message, and takes the answer. @param {object} message @param {string} type of the answer */
  async ask(message, type) {
    this.send(message);
    return this.next(type);
  }

  /** Sends a message that is refused. @param {object} message @returns {Promise<string>} the code of the error */
  async refusal(message) {
    return (await this.ask(message, 'error')).code;
  }

  /** Starts a game as a player. @param {string} game */
  start(game) {
    return this.ask({ t: 'start', game }, 'match');
  }

  /** @param {number} x @param {number} y @param {number} [buttons] @param {number} [a] @param {number} [b] */
  input(x, y, buttons = 0, a = 0, b = 0) {
    const input = { x, y, buttons, pressesA: a, pressesB: b };
    this.socket.send(packPadInput(input, ++this.#sequence));
  }

  /**
   * Sends 60 inputs a second until the returned timer is cleared.
   * @param {number} number of the pad; each one moves differently
   */
  push(number) {
    let turn = 0;
    const axis = (/** @type {number} */ step, /** @type {number} */ offset) =>
      ((turn * step + number * offset) % 255) - 127;
    return setInterval(() => {
      turn++;
      this.input(axis(7, 31), axis(11, 17));
    }, INPUT_MS);
  }

  /**
   * @template T
   * @param {() => T} condition checked after each message
   * @param {string} what @param {number} [timeoutMs]
   * @returns {Promise<NonNullable<T>>}
   */
  until(condition, what, timeoutMs = maxWaitMs()) {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.#wakes.delete(check);
      };
      const fail = () => {
        end();
        const had = this.messages.slice(-5).map((message) => JSON.stringify(message).slice(0, 200));
        const { code, reason } = this.closed ?? {};
        const ended = this.closed ? `the connection has ended (${code} ${reason}); ` : '';
        const said = `the last messages: ${had.join(' ')}`;
        reject(new Error(`waited in vain for ${what}; ${ended}${said}`));
      };
      const timer = setTimeout(fail, timeoutMs);
      const check = () => {
        const value = condition();
        if (value) {
          end();
          resolve(/** @type {NonNullable<T>} */ (value));
        } else if (this.closed) fail(); // no message can come
      };
      this.#wakes.add(check);
      check();
    });
  }

  /**
   * Waits for a message, or takes one that was received before, and removes it from the list.
   * @param {string} type
   * @param {(message: any) => boolean} [test]
   * @returns {Promise<any>}
   */
  async next(type, test = () => true) {
    const message = await this.wait(type, test);
    this.messages.splice(this.messages.indexOf(message), 1);
    return message;
  }

  /**
   * Waits for a message, or returns one that was received before, and leaves it in the list.
   * @param {string} type
   * @param {(message: any) => boolean} [test]
   * @param {number} [from] index of the first message @param {number} [timeoutMs]
   * @returns {Promise<any>}
   */
  wait(type, test = () => true, from = 0, timeoutMs = maxWaitMs()) {
    const find = () => this.messages.slice(from).find((one) => one.t === type && test(one));
    return this.until(find, `"${type}"`, timeoutMs);
  }

  /** Makes a round trip: the TV has then handled everything sent before. */
  async settle() {
    const at = Math.random();
    this.send({ t: 'ping', at });
    await this.next('pong', (message) => message.at === at);
  }

  /** Waits for more frames. @param {number} count */
  async moreFrames(count) {
    const goal = this.frames + count;
    await this.until(() => this.frames >= goal, `${count} frames`);
  }

  /**
   * Waits until frames come again.
   * @param {number} since ms @param {number} [timeoutMs]
   * @returns {Promise<number>} when the first one has come, ms
   */
  nextFrame(since, timeoutMs = maxWaitMs()) {
    return this.until(() => this.frameTimes.find((at) => at > since), 'a frame', timeoutMs);
  }

  whenClosed() {
    return this.until(() => this.closed, 'the end of the connection');
  }

  /** Ends the connection without a close frame, like a phone out of range. */
  vanish() {
    this.socket.terminate();
  }
}
