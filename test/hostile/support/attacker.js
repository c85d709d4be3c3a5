/**
 * The actions of attacks. The traffic of every socket is counted, and an attack ends at its bound of time or traffic.
 */
import { connect } from 'node:net';
import { Client } from '../../support/tv.js';
import { upgradeRequest } from './wire.js';

const CHECK_MS = 5;
const ANSWER_MS = 1500;
/** The longest delay of a timer. */
const FOREVER_MS = 2 ** 31 - 1;

/** @typedef {import('node:net').Socket} Socket */
/** @typedef {ReturnType<typeof createAttacker>} Attacker */

/**
 * @typedef {object} Attack
 * @property {string} name a few words
 * @property {(attacker: Attacker) => Promise<unknown>} run rejects when the TV misbehaved
 * @property {{seconds: number, bytes: number}} bounds longest time and most traffic, both directions together
 * @property {boolean} [slow] takes a minute; only `make hostile` runs it
 * @property {boolean} [whole] needs its whole time to have an effect
 * @property {Partial<Record<keyof typeof import('../../../app/limits/table.js').LIMITS, number>>} [limits] values
 *   that replace the TV's, for an attack that would otherwise wait for them; it gets its own TV
 * @property {boolean} [holds] the attacker keeps its connections open, and the TV has to close them
 * @property {number} [recoveryMs] the time in which descriptors and memory return, if it differs from the rule
 *
 * @typedef {object} Target
 * @property {string} url
 * @property {string} host
 * @property {number} port
 * @property {string} code
 */

/**
 * @param {object} options
 * @param {Target} options.tv
 * @param {string[]} options.addresses local addresses to attack from
 * @param {{seconds: number, bytes: number}} options.bounds
 */
export function createAttacker({ tv, addresses, bounds }) {
  const ended = new AbortController();
  const { signal } = ended;
  /** @type {Set<Socket>} */
  const sockets = new Set();
  let spent = 0; // bytes of sockets that are closed, and of datagrams
  const check = () => {
    let bytes = spent;
    for (const socket of sockets) bytes += socket.bytesRead + socket.bytesWritten;
    if (bytes >= bounds.bytes) ended.abort();
  };
  const budget = setInterval(check, CHECK_MS);
  const time = setTimeout(() => ended.abort(), bounds.seconds * 1000);
  signal.addEventListener('abort', () => {
    clearInterval(budget);
    clearTimeout(time);
  });

  /** @param {Socket} socket */
  function count(socket) {
    sockets.add(socket);
    socket.on('error', () => {}); // the TV may close any connection
    socket.on('close', () => {
      spent += socket.bytesRead + socket.bytesWritten;
      sockets.delete(socket);
    });
    return socket;
  }

  /**
   * Opens a TCP connection.
   * @param {{address?: string, allowHalfOpen?: boolean}} [options]
   * @returns {Promise<Socket>} destroyed if the TV did not accept it
   */
  function open({ address = addresses[0], allowHalfOpen } = {}) {
    const { host, port } = tv;
    const socket = count(connect({ host, port, localAddress: address, allowHalfOpen }));
    return new Promise((resolve) => {
      for (const event of ['connect', 'error', 'close']) socket.once(event, () => resolve(socket));
      signal.addEventListener('abort', () => resolve(socket));
    });
  }

  /** Waits, but not beyond the end of the attack. @param {number} ms @returns {Promise<void>} */
  function pause(ms) {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
    });
  }

  /**
   * Writes bytes and waits until the socket can take more.
   * @param {Socket} socket @param {string | Buffer} bytes
   * @returns {Promise<boolean>} false: the connection or the attack is over
   */
  function write(socket, bytes) {
    if (socket.destroyed || !socket.writable || signal.aborted) return Promise.resolve(false);
    if (socket.write(bytes, 'latin1')) {
      // Otherwise a writer that never waits keeps its process from reading and from ending.
      return new Promise((resolve) => setImmediate(() => resolve(!signal.aborted)));
    }
    return new Promise((resolve) => {
      /** @param {boolean} more */
      const end = (more) => {
        socket.off('drain', drained).off('close', over);
        signal.removeEventListener('abort', over);
        resolve(more);
      };
      const drained = () => end(!signal.aborted);
      const over = () => end(false);
      socket.once('drain', drained).once('close', over);
      signal.addEventListener('abort', over);
    });
  }

  /**
   * Writes the same bytes repeatedly until the connection or the attack is over.
   * @param {Socket} socket @param {string | Buffer} bytes
   */
  async function flood(socket, bytes) {
    while (await write(socket, bytes));
  }

  /**
   * Reads until the TV ends the connection.
   * @param {Socket} socket
   * @param {(text: string) => boolean} [enough] ends the connection earlier
   * @returns {Promise<string>} the first 64 KiB received, one letter a byte
   */
  function read(socket, enough = () => false) {
    let text = '';
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        socket.destroy();
        resolve(text);
      };
      const timer = setTimeout(end, ANSWER_MS);
      signal.addEventListener('abort', end);
      socket.on('data', (data) => {
        if (text.length < 65_536) text += data.toString('latin1');
        if (enough(text)) end();
      });
      socket.once('close', end);
      if (socket.destroyed || signal.aborted) end();
    });
  }

  /**
   * Sends one request and reads the answer.
   * @param {string | Buffer} bytes
   * @param {{address?: string}} [options]
   */
  async function ask(bytes, options) {
    const socket = await open(options);
    socket.write(bytes, 'latin1');
    return read(socket);
  }

  /**
   * Opens a websocket by hand; support/wire.js makes its frames.
   * @param {{address?: string, headers?: string}} [options] headers: more lines of the request
   * @returns {Promise<Socket>} destroyed if the TV refused; received bytes are dropped
   */
  async function upgrade({ address, headers } = {}) {
    const socket = await open({ address });
    socket.write(upgradeRequest(tv, headers));
    await new Promise((resolve) => {
      socket.once('data', (data) => {
        if (!data.toString('latin1').startsWith('HTTP/1.1 101')) socket.destroy();
        resolve(undefined);
      });
      socket.once('close', resolve);
      signal.addEventListener('abort', resolve);
      if (socket.destroyed || signal.aborted) resolve(undefined);
    });
    socket.resume();
    return socket;
  }

  /**
   * Opens a websocket as a phone or a screen does.
   * @param {object} [hello]
   * @param {{address?: string, perMessageDeflate?: boolean}} [options]
   */
  function client(hello, { address = addresses[0], perMessageDeflate = false } = {}) {
    return Client.connect(/** @type {any} */ (tv), hello, {
      perMessageDeflate,
      createConnection: /** @type {any} */ (
        () => count(connect({ host: tv.host, port: tv.port, localAddress: address }))
      ),
    });
  }

  /**
   * Does the same on many connections at once.
   * @template T
   * @param {number} count @param {(i: number) => Promise<T>} act
   * @returns {Promise<T[]>}
   */
  const crowd = (count, act) => Promise.all(Array.from({ length: count }, (_, i) => act(i)));

  /** Repeats an action until the attack is over. @param {(i: number) => Promise<unknown>} act */
  async function repeat(act) {
    for (let i = 0; !signal.aborted; i++) await act(i);
  }

  return {
    tv,
    signal,
    address: addresses[0],
    addresses,
    open,
    pause,
    write,
    flood,
    read,
    ask,
    upgrade,
    client,
    crowd,
    repeat,
    /** Resolves when the attack is over. */
    over: () => pause(FOREVER_MS),
    /** Counts bytes that were not sent through a socket of open(). @param {number} bytes */
    spend(bytes) {
      spent += bytes;
      check();
    },
    end: () => ended.abort(),
  };
}
