/** Provides what attacks are made of. Every socket is counted: an attack ends at its bound of time or traffic. */
import { connect } from 'node:net';
import { Client } from '../../support/tv.js';
import { upgradeRequest } from './wire.js';

const CHECK_MS = 5;
const ANSWER_MS = 1500;
/** The longest time of a timer. */
const FOREVER_MS = 2 ** 31 - 1;

/** @typedef {import('node:net').Socket} Socket */
/** @typedef {ReturnType<typeof createAttacker>} Attacker */

/**
 * @typedef {object} Attack
 * @property {string} name a few words
 * @property {(attacker: Attacker) => Promise<unknown>} run rejects when the TV did what it must not do
 * @property {{seconds: number, bytes: number}} bounds longest time and most traffic, both directions together
 * @property {boolean} [slow] takes a minute; only `make hostile` runs it
 * @property {boolean} [whole] shows nothing in less than its whole time
 * @property {Partial<Record<keyof typeof import('../../../app/limits/table.js').LIMITS, number>>} [limits] other values
 *   than those of the TV, for an attack that would have to wait for them; it gets a TV of its own
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
   * @returns {Promise<Socket>} a destroyed one where the TV did not accept it
   */
  function open({ address = addresses[0], allowHalfOpen } = {}) {
    const { host, port } = tv;
    const socket = count(connect({ host, port, localAddress: address, allowHalfOpen }));
    return new Promise((resolve) => {
      for (const event of ['connect', 'error', 'close']) socket.once(event, () => resolve(socket));
      signal.addEventListener('abort', () => resolve(socket));
    });
  }

  /** Waits; shorter when the attack is over. @param {number} ms @returns {Promise<void>} */
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
   * Writes bytes when the socket has sent what was written before.
   * @param {Socket} socket @param {string | Buffer} bytes
   * @returns {Promise<boolean>} false: the connection or the attack is over
   */
  function write(socket, bytes) {
    if (socket.destroyed || !socket.writable || signal.aborted) return Promise.resolve(false);
    if (socket.write(bytes, 'latin1')) {
      // Without this a writer that never has to wait keeps its process from reading and from ending.
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
   * Writes the same bytes again and again until connection or attack is over.
   * @param {Socket} socket @param {string | Buffer} bytes
   */
  async function flood(socket, bytes) {
    while (await write(socket, bytes));
  }

  /**
   * Reads until the TV ends the connection.
   * @param {Socket} socket
   * @param {(text: string) => boolean} [enough] ends the connection earlier
   * @returns {Promise<string>} what came, at most 64 KiB of it, one letter a byte
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
   * @returns {Promise<Socket>} destroyed where the TV refused; what it sends is thrown away
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

  /** Does something again and again until the attack is over. @param {(i: number) => Promise<unknown>} act */
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
    /** Counts bytes that went another way than through a socket of open(). @param {number} bytes */
    spend(bytes) {
      spent += bytes;
      check();
    },
    end: () => ended.abort(),
  };
}
