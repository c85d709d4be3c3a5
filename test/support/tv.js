/** Starts a TV for a test, and clients that connect to it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { ENGINES } from '../../app/engine/index.js';
import { all, extent } from './extent.js';
import faulty from './faulty.js';

/** The longest wait for an expected event, ms. */
const TIMEOUT_MS = Number(process.env.PITV_TEST_TIMEOUT_MS ?? 60_000);

/** The entry of the faulty game in the catalogue. */
export const faultyGame = /** @type {import('../../app/lobby/catalog.js').Game} */ (
  /** @type {unknown} */ ({
    ...faulty,
    url: new URL('./faulty.js', import.meta.url).href,
    hash: 'f'.repeat(64),
  })
);

/**
 * Makes a folder that is removed after the test.
 * @param {import('node:test').TestContext} t
 * @returns {Promise<string>}
 */
export async function temporaryFolder(t) {
  const folder = await makeFolder();
  t.after(() => remove(folder));
  return folder;
}

const makeFolder = () => mkdtemp(join(tmpdir(), 'pitv-test-'));
/** @param {string} folder */
const remove = (folder) => rm(folder, { recursive: true, force: true });

/**
 * The engine of a TV whose test does not choose one: the best one here; in `make test` the one that starts fastest.
 */
const ENGINE = all ? 'auto' : 'thread';

/**
 * The engines with which tests of a whole TV or match run: in `make test` the zygote, since test/engine checks that all
 * engines keep the same contract.
 */
export const TV_ENGINES = extent(['zygote'], ENGINES);

/**
 * Starts a TV on a free port. It is stopped after the test.
 * @param {import('node:test').TestContext} t
 * @param {{args?: string[], dataDir?: string} & import('../../app/create-tv.js').TvOptions} [options]
 */
export async function startTv(t, { args = [], dataDir, ...options } = {}) {
  // Imported here, so that tests that only need a client do not load the whole TV.
  const [{ parseSettings }, { silentLog }, { createTv }] = await Promise.all([
    import('../../app/config/parse.js'),
    import('../../app/log.js'),
    import('../../app/create-tv.js'),
  ]);
  const folder = dataDir ?? (await makeFolder());
  const own = ['--port', '0', '--host', '127.0.0.1', '--max-matches', '8', '--data-dir', folder];
  if (!args.includes('--engine')) own.push('--engine', ENGINE);
  // Threads cannot be locked, and some machines cannot lock anything.
  if (!args.includes('--untrusted-games')) own.push('--untrusted-games', 'open');
  const settings = parseSettings([...own, ...args], {});
  const tv = await createTv(settings, silentLog, options);
  t.after(async () => {
    await tv.stop();
    if (!dataDir) await remove(folder); // a stopping TV saves its state there
  });
  await tv.start();
  return tv;
}

/**
 * Polls a condition until its result is truthy.
 * @param {() => unknown} condition
 * @param {string} what for the error
 * @param {number} [timeoutMs]
 * @returns {Promise<any>} the result
 */
export async function until(condition, what, timeoutMs = TIMEOUT_MS) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A websocket client that keeps all messages and the newest frame. */
export class Client {
  /** @type {any[]} JSON messages, the oldest first */
  messages = [];
  /** @type {Buffer | undefined} the newest */
  frame;
  frames = 0;
  /** @type {{code: number, reason: string} | undefined} */
  closed;
  #wakes = new Set();
  #sequence = 0;

  /** @param {WebSocket} socket */
  constructor(socket) {
    this.socket = socket;
    socket.on('message', (data, isBinary) => {
      if (isBinary) {
        this.frame = /** @type {Buffer} */ (data);
        this.frames++;
      } else this.messages.push(JSON.parse(String(data)));
      this.#wake();
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) };
      this.#wake();
    });
    socket.on('error', () => {});
  }

  #wake() {
    for (const wake of [...this.#wakes]) wake();
  }

  /**
   * @param {import('../../app/tv.js').Tv} tv
   * @param {object} [hello] sent at once
   * @param {import('ws').ClientOptions} [options]
   */
  static async connect(tv, hello, options) {
    const { url = `http://127.0.0.1:${tv.port}` } = tv; // a TV in a container or on a board has only a port
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, options);
    const client = new Client(socket);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    if (hello) client.send(hello);
    return client;
  }

  /**
   * @param {import('../../app/tv.js').Tv} tv
   * @param {object} [more] further fields of the hello
   * @param {import('ws').ClientOptions} [options]
   */
  static async screen(tv, more, options) {
    const client = await Client.connect(tv, { t: 'hello', role: 'screen', ...more }, options);
    await client.next('welcome');
    return client;
  }

  /**
   * @param {import('../../app/tv.js').Tv} tv
   * @param {object} [more] further fields of the hello
   * @param {import('ws').ClientOptions} [options]
   */
  static async pad(tv, more, options) {
    const hello = { t: 'hello', role: 'pad', code: tv.code, ...more };
    const client = await Client.connect(tv, hello, options);
    await client.next('welcome');
    return client;
  }

  /** @param {object} message */
  send(message) {
    this.socket.send(JSON.stringify(message));
  }

  /** @param {number} x @param {number} y @param {number} [buttons] @param {number} [a] @param {number} [b] */
  input(x, y, buttons = 0, a = 0, b = 0) {
    const bytes = Buffer.alloc(8);
    bytes[0] = 1;
    bytes.writeInt8(x, 1);
    bytes.writeInt8(y, 2);
    bytes.set([buttons, a, b], 3);
    bytes.writeUInt16LE(++this.#sequence & 0xffff, 6);
    this.socket.send(bytes);
  }

  /**
   * @template T
   * @param {() => T} condition checked after each message
   * @param {string} what
   * @returns {Promise<NonNullable<T>>}
   */
  until(condition, what) {
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
      const timer = setTimeout(fail, TIMEOUT_MS);
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
    const matches = (/** @type {any} */ message) => message.t === type && test(message);
    await this.until(() => this.messages.some(matches), `"${type}"`);
    const [message] = this.messages.splice(this.messages.findIndex(matches), 1);
    return message;
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

  whenClosed() {
    return this.until(() => this.closed, 'the end of the connection');
  }

  /** Ends the connection without a close frame, like a phone out of range. */
  vanish() {
    this.socket.terminate();
  }
}

/**
 * Starts a TV, a screen, a phone, and a match of the faulty game that the screen owns.
 * @param {import('node:test').TestContext} t
 */
export async function startMatchOfScreen(t) {
  const tv = await startTv(t, { games: [faultyGame] });
  const screen = await Client.connect(tv, { t: 'hello', role: 'screen' });
  const { token } = await screen.next('welcome');
  await Client.pad(tv);
  screen.send({ t: 'start', game: 'faulty' });
  /** @type {{match: number}} */
  const { match } = await screen.next('watch');
  return { tv, screen, token, match };
}

/**
 * Requests /metrics.
 * @param {import('../../app/tv.js').Tv} tv
 * @returns {Promise<Map<string, number>>} values by name and labels
 */
export async function metricsOf(tv) {
  const text = await (await fetch(`${tv.url}/metrics`)).text();
  return new Map(
    text
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
      .map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
  );
}
