/** Threads and processes that answer plain messages, without a library: of Node.js, Bun and Deno. */
import { startProcess, startThread } from '../../harness/message-workers.js';
import { RUNTIME_NAMES, titleOf } from '../../harness/runtimes.js';

/** @typedef {import('./pools.js').OpenPool} OpenPool */
/** @typedef {import('../../harness/message-workers.js').MessageWorker} MessageWorker */

const PROGRAM = new URL('bare.js', import.meta.url);
const MOVING_PROGRAM = new URL('bare.js?moves', import.meta.url);

/**
 * Sends messages to workers in turn. Each worker answers its messages in order.
 * @param {MessageWorker[]} workers @param {boolean} moves
 */
function roundRobin(workers, moves) {
  /** @type {((answer: unknown) => void)[][]} */
  const waiting = workers.map(() => []);
  workers.forEach(({ listen }, i) => listen((message) => waiting[i].shift()?.(message)));
  let turn = 0;
  return (/** @type {unknown} */ message) => {
    const i = turn++ % workers.length;
    return new Promise((resolve) => {
      waiting[i].push(resolve);
      workers[i].send(message, moves && message ? [Reflect.get(message, 'buffer')] : []);
    });
  };
}

/** @param {(moves: boolean) => MessageWorker} start @returns {OpenPool} */
const poolOf =
  (start) =>
  async ({ workers: count, moves }) => {
    const workers = Array.from({ length: count }, () => start(moves));
    const close = () => Promise.all(workers.map((worker) => worker.end()));
    return { run: roundRobin(workers, moves), close };
  };

const openThreads = poolOf((moves) => startThread(moves ? MOVING_PROGRAM : PROGRAM));
const openProcesses = poolOf(() => startProcess(PROGRAM));

/** @type {Record<string, import('./pools.js').PoolKind>} */
export const BARE_MESSAGES = {
  'bare postMessage': { engine: 'thread', open: openThreads, moves: true },
  'bare IPC advanced': { engine: 'process', open: openProcesses },
  ...Object.fromEntries(
    RUNTIME_NAMES.flatMap((runtime) => [
      [`${titleOf(runtime)} Worker`, { engine: runtime, runtime, open: openThreads, moves: true }],
      [`${titleOf(runtime)} IPC`, { engine: runtime, runtime, open: openProcesses }],
    ]),
  ),
};
