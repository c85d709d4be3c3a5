/**
 * The libraries that the dispatch scenario compares, and pitv's pools. Processes use the serialization `advanced`, the
 * faster one.
 */
import { fileURLToPath } from 'node:url';
import { processTree } from '../../../app/process/process-tree.js';

/** @typedef {import('./pools.js').PoolKind} PoolKind */

/** Returns the path of a file in this folder. @param {string} file @returns {string} */
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const ECHO = here('echo.js');
const settings = { serialization: /** @type {const} */ ('advanced') };

/** @param {number} workers */
const sizeOf = (workers) => ({ minThreads: workers, maxThreads: workers });

/** @param {import('./pools.js').Payload} payload @param {boolean} moves */
const transferable = (payload, moves) => (moves && payload ? [payload.buffer] : []);

/** Kills a child process, if there is one. */
function killChild() {
  const [, child] = processTree(process.pid);
  if (child) process.kill(child, 'SIGKILL');
}

/**
 * Opens piscina, or a pool of pitv, which has the same interface.
 * @param {() => Promise<any>} load returns the class @param {string} moved task that moves its payload back
 * @param {{engine?: string}} [options]
 * @returns {import('./pools.js').OpenPool}
 */
const openPool =
  (load, moved, options) =>
  async ({ workers, moves }) => {
    const Pool = await load();
    const filename = moves ? here(moved) : ECHO;
    const pool = new Pool({ filename, ...options, ...sizeOf(workers) });
    return {
      run: (payload) =>
        moves && payload
          ? pool.run(payload, { transferList: [payload.buffer] })
          : pool.run(payload),
      allocate: (bytes) => pool.allocate(bytes),
      kill() {
        const [worker] = pool.threads;
        if (worker.terminate) worker.terminate();
        else process.kill(worker.pid, 'SIGKILL');
      },
      close: () => pool.destroy(),
    };
  };

/** Opens pitv's pool on an engine. @param {string} engine */
export const pitvPool = (engine) =>
  openPool(async () => (await import('../../../app/pool/index.js')).Pool, 'moved-pitv.js', {
    engine,
  });

/** @type {PoolKind} */
const piscina = {
  engine: 'thread',
  moves: true,
  recovers: true,
  open: openPool(async () => (await import('piscina')).Piscina, 'moved-piscina.js'),
};

/** Its threads are piscina's. @type {PoolKind} */
const tinypoolProcess = {
  engine: 'process',
  recovers: true,
  async open({ workers }) {
    const { Tinypool } = await import('tinypool');
    const runtime = 'child_process';
    const pool = new Tinypool({ filename: ECHO, runtime, ...settings, ...sizeOf(workers) });
    return {
      run: (payload) => pool.run(payload),
      kill: killChild,
      close: () => pool.destroy(),
    };
  },
};

/** @param {'thread' | 'process'} workerType @returns {PoolKind} */
const workerpool = (workerType) => ({
  engine: workerType,
  moves: workerType === 'thread',
  recovers: true,
  async open({ workers, moves }) {
    const { default: library } = await import('workerpool');
    const size = { minWorkers: workers, maxWorkers: workers };
    const pool = library.pool(here('workerpool.js'), { workerType, forkOpts: settings, ...size });
    return {
      run: (payload) =>
        pool.exec(moves ? 'moved' : 'echo', [payload], { transfer: transferable(payload, moves) }),
      kill: () =>
        workerType === 'process'
          ? killChild()
          : /** @type {any} */ (pool).workers[0].worker.terminate(),
      close: () => pool.terminate(true),
    };
  },
});

/** @type {PoolKind} */
const poolifierThread = {
  engine: 'thread',
  moves: true, // tasks only; answers are copied
  async open({ workers, moves }) {
    const { FixedThreadPool } = await import('poolifier');
    const pool = new FixedThreadPool(workers, here('poolifier-thread.js'));
    return {
      run: (payload) =>
        pool.execute(
          payload,
          undefined,
          undefined,
          /** @type {any} */ (transferable(payload, moves)),
        ),
      close: () => pool.destroy(),
    };
  },
};

/** @type {Record<string, PoolKind>} */
export const LIBRARIES = {
  piscina,
  'tinypool process': tinypoolProcess,
  'workerpool thread': workerpool('thread'),
  'workerpool process': workerpool('process'),
  'poolifier thread': poolifierThread,
};
