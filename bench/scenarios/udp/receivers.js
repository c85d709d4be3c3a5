/** The compared receivers. Each is opened, reports how many datagrams it has received, and is closed. */
import cluster from 'node:cluster';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
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
 * @property {() => Promise<number[]>} received datagrams accepted so far, by receiver
 * @property {() => Promise<void>} close
 *
 * @typedef {(key: Buffer, pin: boolean) => Promise<Receiving>} Open
 */

/** @type {Record<string, Open>} */
export const RECEIVERS = {
  'dgram-1': (key) => onMainThread(key),
  'dgram-1-unchecked': () => counting(),
  'cluster-shared': (key) => inCluster(key),
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
    received: async () => receiver.counters().map(({ outcomes }) => outcomes[OUTCOME.accepted]),
    close: () => receiver.close(),
  };
}

/** @param {Buffer} key @returns {Promise<Receiving>} */
async function onMainThread(key) {
  const { port, received, close } = await openDgramReceiver(key);
  return { port, pids: [process.pid], received: async () => [received()], close };
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
    received: async () => [all],
    close: async () => void socket.close(),
  };
}

/** @param {Buffer} key @returns {Promise<Receiving>} */
async function inCluster(key) {
  cluster.setupPrimary({ exec: WORKER, args: [key.toString('hex')] });
  const workers = Array.from({ length: PROCESSES }, () => cluster.fork());
  const [{ port }] = await Promise.all(workers.map(nextMessage));
  return {
    port,
    pids: workers.map(({ process: { pid } }) => Number(pid)),
    received: () =>
      Promise.all(
        workers.map(async (worker) => {
          worker.send('how many?');
          return (await nextMessage(worker)).accepted;
        }),
      ),
    async close() {
      for (const worker of workers) worker.process.disconnect();
      await Promise.all(workers.map((worker) => once(worker, 'exit')));
    },
  };
}

/**
 * Waits for a message of worker.js.
 * @param {import('node:cluster').Worker} worker @returns {Promise<any>}
 */
async function nextMessage(worker) {
  const [message] = await once(worker, 'message');
  return message;
}
