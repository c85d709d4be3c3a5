/**
 * The pools of the dispatch scenario: pitv's pools, libraries, and threads and processes that answer plain messages, of
 * Node.js, Bun and Deno.
 */
import { fileURLToPath } from 'node:url';
import { ENGINES } from '../../../app/engine/index.js';
import { processTree } from '../../../app/process/process-tree.js';
import { startProcess, startThread } from '../../harness/message-workers.js';
import { RUNTIME_NAMES, titleOf } from '../../harness/runtimes.js';

/**
 * @typedef {Uint8Array | null} Payload
 *
 * @typedef {object} Pool
 * @property {(payload: Payload) => Promise<unknown>} run resolves with the answer
 * @property {(bytes: number) => Uint8Array} [allocate] memory that pool and workers share
 * @property {() => unknown} [kill] ends one worker by force
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

/** Returns the path of a file in this folder. @param {string} file @returns {string} */
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const ECHO = here('echo.js');
/** The faster one of processes. */
const settings = { serialization: /** @type {const} */ ('advanced') };

/** @param {number} workers */
const sizeOf = (workers) => ({ minThreads: workers, maxThreads: workers });

/** Kills a child process, if there is one. */
function killChild() {
  const [, child] = processTree(process.pid);
  if (child) process.kill(child, 'SIGKILL');
}

/**
 * Opens piscina, or a pool of pitv, which has the same interface.
 * @param {() => Promise<any>} load returns the class
 * @param {{engine?: string}} [options]
 * @returns {OpenPool}
 */
const openPool = (load, options) => async (workers) => {
  const Pool = await load();
  const pool = new Pool({ filename: ECHO, ...options, ...sizeOf(workers) });
  return {
    run: (payload) => pool.run(payload),
    allocate: (bytes) => pool.allocate(bytes),
    kill() {
      const [worker] = pool.threads;
      if (worker.terminate) worker.terminate();
      else process.kill(worker.pid, 'SIGKILL');
    },
  };
};

/** Opens pitv's pool on an engine. @param {string} engine */
const pitvPool = (engine) =>
  openPool(async () => (await import('../../../app/pool/index.js')).Pool, { engine });

/** @type {PoolKind} */
const piscina = {
  engine: 'thread',
  recovers: true,
  open: openPool(async () => (await import('piscina')).Piscina),
};

/** Its threads are piscina's. @type {PoolKind} */
const tinypoolProcess = {
  engine: 'process',
  recovers: true,
  async open(workers) {
    const { Tinypool } = await import('tinypool');
    const runtime = 'child_process';
    const pool = new Tinypool({ filename: ECHO, runtime, ...settings, ...sizeOf(workers) });
    return { run: (payload) => pool.run(payload), kill: killChild };
  },
};

/** @param {'thread' | 'process'} workerType @returns {PoolKind} */
const workerpool = (workerType) => ({
  engine: workerType,
  recovers: true,
  async open(workers) {
    const { default: library } = await import('workerpool');
    const size = { minWorkers: workers, maxWorkers: workers };
    const pool = library.pool(here('workerpool.js'), { workerType, forkOpts: settings, ...size });
    return {
      run: (payload) => pool.exec('echo', [payload]),
      kill: () =>
        workerType === 'process'
          ? killChild()
          : /** @type {any} */ (pool).workers[0].worker.terminate(),
    };
  },
});

/** @type {PoolKind} */
const poolifierThread = {
  engine: 'thread',
  async open(workers) {
    const { FixedThreadPool } = await import('poolifier');
    const pool = new FixedThreadPool(workers, here('poolifier-thread.js'));
    return { run: (payload) => pool.execute(payload) };
  },
};

/** @type {Record<string, PoolKind>} */
const LIBRARIES = {
  piscina,
  'tinypool process': tinypoolProcess,
  'workerpool thread': workerpool('thread'),
  'workerpool process': workerpool('process'),
  'poolifier thread': poolifierThread,
};

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
  return { run: roundRobin(workers) };
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
