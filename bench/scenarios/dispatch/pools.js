/**
 * The pools of the dispatch scenario: pitv's engines, libraries, and plain messages. Each opens its workers and returns
 * run(payload), which resolves with the answer.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ENGINES } from '../../../app/engine/index.js';
import { MAX_INPUT_BYTES, freshWorkers, mailboxes } from './engines.js';

export const WORKERS = 2;

/** Returns the path of a file in this folder. @param {string} file @returns {string} */
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const ECHO = here('echo.js');

/**
 * @typedef {Buffer | null} Payload
 * @typedef {{run: (payload: Payload) => Promise<unknown>, close: () => unknown}} Pool
 * @typedef {(bytes: number) => Promise<Pool>} OpenPool bytes: size of each payload
 */

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

/** @param {'json' | 'advanced'} serialization @returns {OpenPool} */
const bareProcesses = (serialization) => async () => {
  const children = Array.from({ length: WORKERS }, () => fork(here('bare.js'), { serialization }));
  const run = roundRobin(
    children.map((child) => ({
      send: (message) => child.send(/** @type {any} */ (message)),
      listen: (onMessage) => child.on('message', onMessage),
    })),
  );
  return { run, close: () => children.forEach((child) => child.kill()) };
};

/**
 * The pools by name. shortLived: a worker ends with its task. maxBytes: maximum size of a payload.
 * @type {Record<string, {engine: string, open: OpenPool, shortLived?: boolean, maxBytes?: number}>}
 */
export const POOLS = {
  ...Object.fromEntries(
    ENGINES.flatMap((engine) => [
      [
        `pitv mailbox, ${engine}`,
        { engine, open: mailboxes(engine, WORKERS), maxBytes: MAX_INPUT_BYTES },
      ],
      [`pitv ${engine} a task`, { engine, open: freshWorkers(engine), shortLived: true }],
    ]),
  ),
  piscina: {
    engine: 'thread',
    async open() {
      const { Piscina } = await import('piscina');
      const pool = new Piscina({ filename: ECHO, minThreads: WORKERS, maxThreads: WORKERS });
      return { run: (payload) => pool.run(payload), close: () => pool.destroy() };
    },
  },
  ...Object.fromEntries(
    /** @type {const} */ (['worker_threads', 'child_process']).map((runtime) => [
      `tinypool ${runtime === 'child_process' ? 'process' : 'thread'}`,
      {
        engine: runtime === 'child_process' ? 'process' : 'thread',
        async open() {
          const { Tinypool } = await import('tinypool');
          const size = { minThreads: WORKERS, maxThreads: WORKERS };
          const serialization = /** @type {const} */ ('advanced'); // for processes; its README recommends it for speed
          const pool = new Tinypool({ filename: ECHO, runtime, serialization, ...size });
          return {
            run: (/** @type {Payload} */ payload) => pool.run(payload),
            close: () => pool.destroy(),
          };
        },
      },
    ]),
  ),
  ...Object.fromEntries(
    /** @type {const} */ (['thread', 'process']).map((workerType) => [
      `workerpool ${workerType}`,
      {
        engine: workerType,
        async open() {
          const { default: workerpool } = await import('workerpool');
          const size = { minWorkers: WORKERS, maxWorkers: WORKERS };
          const forkOpts = { serialization: 'advanced' };
          const pool = workerpool.pool(here('workerpool.js'), { workerType, forkOpts, ...size });
          return {
            run: (/** @type {Payload} */ payload) => pool.exec('echo', [payload]),
            close: () => pool.terminate(true),
          };
        },
      },
    ]),
  ),
  'poolifier thread': {
    engine: 'thread',
    async open() {
      const { FixedThreadPool } = await import('poolifier');
      const pool = new FixedThreadPool(WORKERS, here('poolifier-thread.js'));
      return { run: (payload) => pool.execute(payload), close: () => pool.destroy() };
    },
  },
  'poolifier cluster': {
    engine: 'process',
    async open() {
      const { FixedClusterPool } = await import('poolifier');
      const settings = { serialization: /** @type {const} */ ('advanced') };
      const pool = new FixedClusterPool(WORKERS, here('poolifier-cluster.cjs'), { settings });
      return { run: (payload) => pool.execute(payload), close: () => pool.destroy() };
    },
  },
  'bare postMessage': {
    engine: 'thread',
    async open() {
      const workers = Array.from({ length: WORKERS }, () => new Worker(here('bare.js')));
      const run = roundRobin(
        workers.map((worker) => ({
          send: (message) => worker.postMessage(message),
          listen: (onMessage) => worker.on('message', onMessage),
        })),
      );
      return { run, close: () => Promise.all(workers.map((worker) => worker.terminate())) };
    },
  },
  'bare IPC advanced': { engine: 'process', open: bareProcesses('advanced') },
  'bare IPC json': { engine: 'process', open: bareProcesses('json') },
};
