/**
 * The pools of the dispatch scenario: pitv's pools, libraries, and threads and processes that answer plain messages, of
 * Node.js, Bun and Deno.
 */
import { ENGINES } from '../../../app/engine/index.js';
import { startProcess, startThread } from '../../harness/message-workers.js';
import { RUNTIME_NAMES, titleOf } from '../../harness/runtimes.js';
import { LIBRARIES, pitvPool } from './libraries.js';

/**
 * @typedef {Uint8Array | null} Payload
 *
 * @typedef {object} Pool
 * @property {(payload: Payload) => Promise<unknown>} run resolves with the answer
 * @property {(bytes: number) => Uint8Array} [allocate] memory that pool and workers share
 * @property {() => unknown} [kill] ends one worker by force
 * @property {() => unknown} close
 *
 * @typedef {(workers: number) => Promise<Pool>} OpenPool
 *
 * @typedef {object} PoolKind
 * @property {string} engine
 * @property {string} [runtime] runs both sides: bun or deno; Node.js if undefined
 * @property {OpenPool} open
 * @property {boolean} [allocates] has shared memory for payloads
 * @property {boolean} [recovers] answers a task that is sent right after a worker was killed; others never do
 *
 * @typedef {import('../../harness/message-workers.js').MessageWorker} MessageWorker
 */

const BARE_PROGRAM = new URL('bare.js', import.meta.url);

/** Sends messages to workers in turn. Each worker answers its messages in order. @param {MessageWorker[]} workers */
function roundRobin(workers) {
  /** @type {((answer: unknown) => void)[][]} */
  const waiting = workers.map(() => []);
  workers.forEach(({ listen }, i) => listen((message) => waiting[i].shift()?.(message)));
  let turn = 0;
  return (/** @type {unknown} */ message) => {
    const i = turn++ % workers.length;
    return new Promise((resolve) => {
      waiting[i].push(resolve);
      workers[i].send(message);
    });
  };
}

/** @param {(program: URL) => MessageWorker} start @returns {OpenPool} */
const poolOf = (start) => async (count) => {
  const workers = Array.from({ length: count }, () => start(BARE_PROGRAM));
  const close = () => Promise.all(workers.map((worker) => worker.end()));
  return { run: roundRobin(workers), close };
};

const openThreads = poolOf(startThread);
const openProcesses = poolOf(startProcess);

/** @type {Record<string, PoolKind>} */
const BARE_MESSAGES = {
  'bare postMessage': { engine: 'thread', open: openThreads },
  'bare IPC advanced': { engine: 'process', open: openProcesses },
  ...Object.fromEntries(
    RUNTIME_NAMES.flatMap((runtime) => [
      [`${titleOf(runtime)} Worker`, { engine: runtime, runtime, open: openThreads }],
      [`${titleOf(runtime)} IPC`, { engine: runtime, runtime, open: openProcesses }],
    ]),
  ),
};

/** @type {Record<string, PoolKind>} */
export const POOLS = {
  ...Object.fromEntries(
    ENGINES.map((engine) => [
      `pitv ${engine}`,
      { engine, open: pitvPool(engine), allocates: true, recovers: true },
    ]),
  ),
  ...LIBRARIES,
  ...BARE_MESSAGES,
};
