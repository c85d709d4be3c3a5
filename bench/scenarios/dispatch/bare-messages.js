/** Threads and processes that answer plain messages, without a library. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** @typedef {import('./pools.js').OpenPool} OpenPool */

const PROGRAM = fileURLToPath(new URL('bare.js', import.meta.url));
/** JSON.stringify() makes 1 MiB of bytes a text of several. */
const MAX_JSON_BYTES = 64 * 1024;

/**
 * Sends messages to workers in turn. Each worker answers its messages in order.
 * @param {{send: (message: unknown) => void, listen: (onMessage: (message: unknown) => void) => void}[]} channels
 */
function roundRobin(channels) {
  /** @type {((answer: unknown) => void)[][]} */
  const waiting = channels.map(() => []);
  channels.forEach(({ listen }, i) => listen((message) => waiting[i].shift()?.(message)));
  let turn = 0;
  return (/** @type {unknown} */ message) => {
    const i = turn++ % channels.length;
    return new Promise((resolve) => {
      waiting[i].push(resolve);
      channels[i].send(message);
    });
  };
}

/** @type {OpenPool} */
async function openThreads({ workers, moves }) {
  const options = { workerData: { moves } };
  const threads = Array.from({ length: workers }, () => new Worker(PROGRAM, options));
  const run = roundRobin(
    threads.map((thread) => ({
      send: (message) =>
        thread.postMessage(message, moves && message ? [Reflect.get(message, 'buffer')] : []),
      listen: (onMessage) => thread.on('message', onMessage),
    })),
  );
  return { run, close: () => Promise.all(threads.map((thread) => thread.terminate())) };
}

/** @param {'json' | 'advanced'} serialization @returns {OpenPool} */
const processes =
  (serialization) =>
  async ({ workers }) => {
    const children = Array.from({ length: workers }, () => fork(PROGRAM, { serialization }));
    const run = roundRobin(
      children.map((child) => ({
        send: (message) => child.send(/** @type {any} */ (message)),
        listen: (onMessage) => child.on('message', onMessage),
      })),
    );
    return { run, close: () => children.forEach((child) => child.kill()) };
  };

/** @type {Record<string, import('./pools.js').PoolKind>} */
export const BARE_MESSAGES = {
  'bare postMessage': { engine: 'thread', open: openThreads, moves: true },
  'bare IPC advanced': { engine: 'process', open: processes('advanced') },
  'bare IPC json': { engine: 'process', open: processes('json'), maxBytes: MAX_JSON_BYTES },
};
