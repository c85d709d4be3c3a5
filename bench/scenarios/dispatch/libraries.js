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

/** Kills a child process, if there is one. */
function killChild() {
  const [, child] = processTree(process.pid);
  if (child) process.kill(child, 'SIGKILL');
}

/**
 * Opens piscina, or a pool of pitv, which has the same interface.
 * @param {() => Promise<any>} load returns the class
 * @param {{engine?: string}} [options]
 * @returns {import('./pools.js').OpenPool}
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
    close: () => pool.destroy(),
  };
};

/** Opens pitv's pool on an engine. @param {string} engine */
export const pitvPool = (engine) =>
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
      close: () => pool.terminate(true),
    };
  },
});

/** @type {PoolKind} */
const poolifierThread = {
  engine: 'thread',
  async open(workers) {
    const { FixedThreadPool } = await import('poolifier');
    const pool = new FixedThreadPool(workers, here('poolifier-thread.js'));
    return {
      run: (payload) => pool.execute(payload),
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
