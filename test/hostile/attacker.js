/**
 * Runs one attack in a process of its own (`node attacker.js JSON`), with the actions of attacks. The process reports
 * over IPC when the attack starts and ends, then keeps its connections open until it is killed. The traffic of every
 * socket is counted, and an attack ends at its bound of time or traffic.
 */
import { setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import { getPriority, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Child } from '../../bench/harness/child.js';
import { Client } from '../support/tv.js';
import { ATTACKS } from './attacks.js';

const PROGRAM = fileURLToPath(import.meta.url);

const CHECK_MS = 5;
const ANSWER_MS = 1500;
/** The longest delay of a timer. */
const FOREVER_MS = 2 ** 31 - 1;

/** An attack that exceeds its own bound is killed after this time, ms. */
const GRACE_MS = 10_000;
/** A real attacker has another computer. Here it shares the TV's, so the TV gets the higher priority. */
const NICENESS = 10;
/** The time for outstanding answers after the end of an attack, ms. */
const OVERTIME_MS = 300;

/** @typedef {import('node:net').Socket} Socket */
/** @typedef {{key: string, tv: Target, addresses: string[], seconds: number}} Request */
/** @typedef {ReturnType<typeof createAttacker>} Attacker */

/**
 * @typedef {object} Attack
 * @property {string} name a few words
 * @property {number} clients how many act at once
 * @property {(tv: Target) => any[]} [items] of which each client takes another one in each turn
 * @property {(attacker: Attacker, i: number) => Promise<any>} [enter] how client i begins. Without act(), it stays.
 * @property {(attacker: Attacker, turn: Turn) => Promise<unknown>} [act] is repeated until the attack is over. Both
 *   reject when the TV misbehaved.
 * @property {{seconds: number, bytes: number}} bounds longest time and most traffic, both directions together
 * @property {boolean} [slow] takes a minute; only `make hostile` runs it
 * @property {boolean} [holds] the attacker keeps its connections open, and the TV has to close them
 * @property {number} [recoveryMs] the time in which descriptors and memory return, if it differs from the rule
 *
 * @typedef {object} Target
 * @property {string} url
 * @property {number} port
 * @property {string} code
 *
 * @typedef {{i: number, turn: number, item: any, own: any}} Turn number of the client, how often it has acted before,
 *   one of the items, and the result of enter()
 */

/** Runs an attack until it is over. @param {Attacker} attacker @param {Attack} attack */
async function runAttack(attacker, { clients, items, enter, act }) {
  const list = items?.(attacker.tv) ?? [''];
  const run = async (/** @type {number} */ i) => {
    const own = await enter?.(attacker, i);
    for (let turn = 0; act && !attacker.signal.aborted; turn++)
      await act(attacker, { i, turn, own, item: list[(i + turn) % list.length] });
  };
  await Promise.all(Array.from({ length: clients }, (_, i) => run(i)));
  await attacker.pause(FOREVER_MS);
}

/**
 * @param {object} options
 * @param {Target} options.tv
 * @param {string[]} options.addresses local addresses to attack from
 * @param {{seconds: number, bytes: number}} options.bounds
 */
function createAttacker({ tv, addresses, bounds }) {
  const ended = new AbortController();
  const { signal } = ended;
  setMaxListeners(0, signal); // one for each answer that is awaited
  /** @type {Set<Socket>} */
  const sockets = new Set();
  let spent = 0; // bytes of sockets that are closed, and of datagrams
  const checkBudget = () => {
    let bytes = spent;
    for (const socket of sockets) bytes += socket.bytesRead + socket.bytesWritten;
    if (bytes >= bounds.bytes) ended.abort();
  };
  const budget = setInterval(checkBudget, CHECK_MS);
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
   * Waits for the first of some events of a socket, but not beyond the end of the attack.
   * @param {Socket} socket @param {string[]} events @returns {Promise<void>}
   */
  function first(socket, ...events) {
    return new Promise((resolve) => {
      const end = () => {
        for (const event of events) socket.off(event, end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      for (const event of events) socket.on(event, end);
      signal.addEventListener('abort', end);
      if (socket.destroyed || signal.aborted) end();
    });
  }

  /**
   * Opens a TCP connection.
   * @param {{address?: string, allowHalfOpen?: boolean}} [options]
   * @returns {Promise<Socket>} destroyed if the TV did not accept it
   */
  async function open({ address = addresses[0], allowHalfOpen } = {}) {
    const where = { host: '127.0.0.1', port: tv.port, localAddress: address };
    const socket = count(connect({ ...where, allowHalfOpen }));
    await first(socket, 'connect', 'error', 'close');
    return socket;
  }

  /** Waits, but not beyond the end of the attack. @param {number} ms @returns {Promise<void>} */
  const pause = (ms) => sleep(ms, undefined, { signal }).catch(() => {});

  /**
   * Writes bytes and waits until the socket can take more.
   * @param {Socket} socket @param {string | Buffer} bytes
   * @returns {Promise<boolean>} false: the connection or the attack is over
   */
  async function write(socket, bytes) {
    if (socket.destroyed || !socket.writable || signal.aborted) return false;
    // A writer that never waits would keep its process from reading and from ending.
    if (socket.write(bytes, 'latin1')) await new Promise((resolve) => setImmediate(resolve));
    else await first(socket, 'drain', 'close');
    return !socket.destroyed && !signal.aborted;
  }

  /**
   * Reads until the TV ends the connection.
   * @param {Socket} socket @returns {Promise<string>} the first 64 KiB received, one letter a byte
   */
  async function read(socket) {
    let text = '';
    socket.on('data', (data) => {
      if (text.length < 65_536) text += data.toString('latin1');
    });
    const timer = setTimeout(() => socket.destroy(), ANSWER_MS);
    await first(socket, 'close');
    clearTimeout(timer);
    socket.destroy();
    return text;
  }

  /** Connects as a screen or a pad does. @param {object} hello @param {{address?: string}} [options] */
  const client = (hello, { address = addresses[0] } = {}) =>
    Client.connect(tv, hello, {
      perMessageDeflate: false,
      createConnection: /** @type {any} */ (
        () => count(connect({ host: '127.0.0.1', port: tv.port, localAddress: address }))
      ),
    });

  return {
    tv,
    signal,
    address: addresses[0],
    /** Spreads clients over the addresses. @param {number} i number of the client */
    from: (i) => ({ address: addresses[i % addresses.length] }),
    open,
    pause,
    write,

    /**
     * Writes the same bytes repeatedly until the connection or the attack is over.
     * @param {Socket} socket @param {string | Buffer} bytes
     */
    async flood(socket, bytes) {
      while (await write(socket, bytes));
    },

    /** Sends one request and reads the answer. @param {string | Buffer} bytes @param {{address?: string}} [options] */
    async ask(bytes, options) {
      const socket = await open(options);
      socket.write(bytes, 'latin1');
      return read(socket);
    },

    screen: () => client({ t: 'hello', role: 'screen' }),
    /** Connects as a phone that has the code. @param {string} name @param {{address?: string}} [options] */
    phone: (name, options) => client({ t: 'hello', role: 'pad', code: tv.code, name }, options),

    /**
     * Ends the attack with an error unless the TV behaved. An answer that the end of the attack has cut does not
     * count.
     * @param {boolean} isRight @param {string} what for the error @param {string} [answer] of the TV
     */
    check(isRight, what, answer = '') {
      if (!isRight && !signal.aborted) throw new Error(`${what}: ${answer.slice(0, 200)}`);
    },

    /** Counts bytes that were not sent through a socket of open(). @param {number} bytes */
    spend(bytes) {
      spent += bytes;
      checkBudget();
    },
  };
}

/** Starts an attack. @param {Request} request @returns what resolves when the attack has started */
export async function startAttack(request) {
  const child = new Child(PROGRAM, request);
  await child.next();
  let going = true;
  const kill = setTimeout(() => child.process.kill('SIGKILL'), request.seconds * 1000 + GRACE_MS);
  /** @type {Promise<string>} what the attack found wrong; empty when it found nothing */
  const over = child
    .next()
    .catch(String)
    .finally(() => {
      clearTimeout(kill);
      going = false;
    });
  return {
    over,
    going: () => going,
    /** Ends the process and with it its connections. */
    async end() {
      child.process.kill('SIGKILL');
      await child.stop();
    },
  };
}

/** Runs an attack in this process. @param {Request} request */
async function attack({ key, tv, addresses, seconds }) {
  setPriority(getPriority() + NICENESS);
  process.on('disconnect', () => process.exit());
  const { bytes } = ATTACKS[key].bounds;
  const attacker = createAttacker({ tv, addresses, bounds: { seconds, bytes } });
  const overtime = new Promise((resolve) => {
    attacker.signal.addEventListener('abort', () => setTimeout(resolve, OVERTIME_MS));
  });
  process.send?.('started');
  const saw = await Promise.race([runAttack(attacker, ATTACKS[key]), overtime]).then(
    () => '',
    (error) => String(error?.stack ?? error),
  );
  process.send?.(saw);
}

if (process.argv[1] === PROGRAM) await attack(JSON.parse(process.argv[2]));
