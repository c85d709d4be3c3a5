/** The compared receivers. Each is opened, reports how many datagrams it has received, and is closed. */
import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../../app/errors.js';
import { OUTCOME } from '../../../app/udp/outcomes.js';
import { openReceiver } from '../../../app/udp/receiver.js';
import { openDgramReceiver } from './dgram-receiver.js';
import { seatPads } from './pads.js';

const WORKER = fileURLToPath(new URL('worker.js', import.meta.url));
/** Number of processes of the variants with several processes. */
const PROCESSES = 2;

/**
 * @typedef {object} Receiving
 * @property {number} port
 * @property {number[]} pids processes whose CPU time counts
 * @property {() => Promise<{accepted: number, all: number}[]>} received so far, by receiver
 * @property {() => Promise<void>} close
 *
 * @typedef {(key: Buffer, pin: boolean) => Promise<Receiving>} Open
 */

/** @type {Record<string, Open>} */
export const RECEIVERS = {
  'dgram-1': (key) => onMainThread(key),
  'dgram-1-unchecked': () => counting(),
  'cluster-shared': (key) => inCluster(key),
  'dgram-reuseport': (key) => sharingPort(key),
  'addon-1': (key, pin) => inThreads({ receivers: 1, pin }, key),
  'addon-2': (key, pin) => inThreads({ receivers: 2, pin }, key),
  'addon-4': (key, pin) => inThreads({ receivers: 4, pin }, key),
};

/**
 * @param {Partial<import('../../../app/udp/receiver.js').ReceiverOptions>} options @param {Buffer} key
 * @returns {Promise<Receiving>}
 */
async function inThreads(options, key) {
  const receiver = await openReceiver({ host: '127.0.0.1', perSecond: 0, ...options });
  seatPads(receiver, key);
  return {
    port: receiver.port,
    pids: [process.pid],
    received: async () =>
      receiver.counters().map(({ outcomes }) => ({
        accepted: outcomes[OUTCOME.accepted],
        all: outcomes.reduce((a, b) => a + b, 0),
      })),
    close: () => receiver.close(),
  };
}

/** @param {Buffer} key @returns {Promise<Receiving>} */
async function onMainThread(key) {
  const { port, table, outcomes, close } = await openDgramReceiver();
  seatPads(table, key);
  return {
    port,
    pids: [process.pid],
    received: async () => [
      { accepted: outcomes[OUTCOME.accepted], all: outcomes.reduce((a, b) => a + b, 0) },
    ],
    close: async () => close(),
  };
}

/** Opens a dgram socket that only counts datagrams, as the article's receivers do. @returns {Promise<Receiving>} */
async function counting() {
  let all = 0;
  const socket = createSocket('udp4');
  socket.on('message', () => all++);
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    pids: [process.pid],
    received: async () => [{ accepted: all, all }],
    close: async () => void socket.close(),
  };
}

/** @param {Buffer} key @returns {Promise<Receiving>} */
async function inCluster(key) {
  const args = [JSON.stringify({ port: 0, key: key.toString('hex') })];
  cluster.setupPrimary({ exec: WORKER, args });
  const workers = Array.from({ length: PROCESSES }, () => cluster.fork().process);
  return combine(/** @type {import('node:child_process').ChildProcess[]} */ (workers));
}

/** @param {Buffer} key @returns {Promise<Receiving>} */
async function sharingPort(key) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 12) || (major === 23 && minor < 1)) {
    const sentence = `reusePort of dgram needs Node 22.12 or 23.1; this is ${process.versions.node}.`;
    throw new PitvError('PITV_BENCH_UNSUPPORTED', sentence);
  }
  const start = (/** @type {number} */ port) =>
    fork(WORKER, [JSON.stringify({ port, reusePort: true, key: key.toString('hex') })]);
  const first = start(0);
  const [{ port }] = await once(first, 'message');
  const others = Array.from({ length: PROCESSES - 1 }, () => start(port));
  return combine([first, ...others], port);
}

/**
 * Waits for receiver processes, and combines them.
 * @param {import('node:child_process').ChildProcess[]} children
 * @param {number} [firstPort] port of the first process, if its message has been received already
 * @returns {Promise<Receiving>}
 */
async function combine(children, firstPort) {
  const pending = firstPort === undefined ? children : children.slice(1);
  const messages = await Promise.all(pending.map((child) => nextMessage(child)));
  return {
    port: firstPort ?? messages[0].port,
    pids: children.map(({ pid }) => /** @type {number} */ (pid)),
    received: () =>
      Promise.all(
        children.map((child) => {
          child.send('how many?');
          return nextMessage(child);
        }),
      ),
    async close() {
      for (const child of children) child.disconnect();
      await Promise.all(children.map((child) => once(child, 'exit')));
    },
  };
}

/**
 * Waits for a message of worker.js.
 * @param {import('node:child_process').ChildProcess} child @returns {Promise<any>}
 */
async function nextMessage(child) {
  for (;;) {
    const [message] = await once(child, 'message');
    if ('port' in message || 'all' in message) return message; // not an internal message of cluster
  }
}
