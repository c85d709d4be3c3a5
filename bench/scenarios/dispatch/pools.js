/**
 * The pools of the dispatch scenario: pitv's pools and engines, libraries, and threads and processes that answer plain
 * messages, of Node.js, Bun and Deno. The engines are made for long jobs, not for tasks.
 */
import { once } from 'node:events';
import { ENGINES, createEngine } from '../../../app/engine/index.js';
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
 * @typedef {object} PoolNeeds
 * @property {number} bytes size of each payload
 * @property {number} workers
 * @property {boolean} moves whether payloads and answers are moved instead of copied, if the library can do that
 *
 * @typedef {(needs: PoolNeeds) => Promise<Pool>} OpenPool
 *
 * @typedef {object} PoolKind
 * @property {string} engine
 * @property {string} [runtime] runs both sides: bun or deno; Node.js if undefined
 * @property {OpenPool} open
 * @property {boolean} [moves] can move payloads
 * @property {boolean} [allocates] has shared memory for payloads
 * @property {boolean} [recovers] answers a task that is sent right after a worker was killed; others never do
 * @property {boolean} [isEngine] an engine for long jobs, which is measured with small payloads only
 * @property {boolean} [shortLived] a worker ends with its task
 * @property {number} [maxBytes] maximum size of a payload
 *
 * @typedef {import('../../harness/message-workers.js').MessageWorker} MessageWorker
 */

const BARE_PROGRAM = new URL('bare.js', import.meta.url);
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

const openThreads = poolOf((moves) => startThread(moves ? MOVING_PROGRAM : BARE_PROGRAM));
const openProcesses = poolOf(() => startProcess(BARE_PROGRAM));

/** @type {Record<string, PoolKind>} */
const BARE_MESSAGES = {
  'bare postMessage': { engine: 'thread', open: openThreads, moves: true },
  'bare IPC advanced': { engine: 'process', open: openProcesses },
  ...Object.fromEntries(
    RUNTIME_NAMES.flatMap((runtime) => [
      [`${titleOf(runtime)} Worker`, { engine: runtime, runtime, open: openThreads, moves: true }],
      [`${titleOf(runtime)} IPC`, { engine: runtime, runtime, open: openProcesses }],
    ]),
  ),
};

/** Rate at which the main thread polls for answers, and a worker for tasks. */
const TICK_HZ = 1000;
const WAITING_JOB = new URL('mailbox-job.js', import.meta.url);
const ONCE_JOB = new URL('once-job.js', import.meta.url);
/** A frame begins with the number of the task that it answers. */
const HEAD_BYTES = 4;
const WORD_BYTES = 4;
/** A mailbox has 256 input slots of one word. */
const MAX_INPUT_BYTES = 256 * WORD_BYTES;

/** Makes a queue that runs one job at a time. */
function makeQueue() {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return (/** @type {() => Promise<unknown>} */ job) => (last = last.then(job));
}

/** Opens workers that poll their mailboxes for tasks. @param {string} name @returns {OpenPool} */
const mailboxes =
  (name) =>
  async ({ bytes, workers: count }) => {
    const engine = await createEngine(name, { modules: [WAITING_JOB] });
    const inputSlots = Math.max(1, bytes / WORD_BYTES);
    const sizes = { inputSlots, frameBytes: bytes + HEAD_BYTES, checkpointBytes: 0 };
    const options = { sizes, options: { bytes, inputSlots }, tickHz: TICK_HZ };
    const starting = Array.from({ length: count }, () => engine.start(WAITING_JOB, options));
    const workers = (await Promise.all(starting)).map(({ mailbox }) => {
      return { mailbox, task: 0, queue: makeQueue() };
    });
    let turn = 0;
    return {
      run(payload) {
        const words = payload
          ? new Int32Array(payload.buffer, payload.byteOffset, inputSlots)
          : new Int32Array(inputSlots);
        const worker = workers[turn++ % workers.length];
        const { mailbox, queue } = worker;
        return queue(async () => {
          // The worker reads the task when the sequence number of the last slot changes.
          words.forEach((word, slot) => (worker.task = mailbox.writeInput(slot, word)));
          for (;;) {
            await new Promise((resolve) => setTimeout(resolve, 1000 / TICK_HZ));
            const frame = mailbox.takeFrame()?.bytes;
            if (!frame || frame.length < HEAD_BYTES) continue;
            const [task] = new Uint32Array(frame.buffer, frame.byteOffset, 1);
            if (task === worker.task) return frame.slice(HEAD_BYTES);
          }
        });
      },
      close: () => engine.close(),
    };
  };

/** Opens a pool that starts a new worker for each task. @param {string} name @returns {OpenPool} */
const freshWorkers =
  (name) =>
  async ({ bytes }) => {
    const engine = await createEngine(name, { modules: [ONCE_JOB] });
    const sizes = { inputSlots: 1, frameBytes: Math.max(8, bytes), checkpointBytes: 0 };
    return {
      async run(payload) {
        const worker = await engine.start(ONCE_JOB, { sizes, options: { payload } });
        await once(worker, 'exit');
        const answer = worker.mailbox.takeFrame()?.bytes.slice();
        engine.freeMailbox(worker.mailbox);
        return answer;
      },
      close: () => engine.close(),
    };
  };

/** @type {Record<string, PoolKind>} */
export const POOLS = {
  ...Object.fromEntries(
    ENGINES.map((engine) => [
      `pitv ${engine}`,
      { engine, open: pitvPool(engine), moves: true, allocates: true, recovers: true },
    ]),
  ),
  ...LIBRARIES,
  ...BARE_MESSAGES,
  ...Object.fromEntries(
    ENGINES.flatMap((engine) => [
      [
        `pitv mailbox, ${engine}`,
        { engine, open: mailboxes(engine), isEngine: true, maxBytes: MAX_INPUT_BYTES },
      ],
      [
        `pitv ${engine} a task`,
        { engine, open: freshWorkers(engine), isEngine: true, shortLived: true, maxBytes: 0 },
      ],
    ]),
  ),
};
