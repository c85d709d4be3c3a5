/** The libraries that the dispatch scenario compares. Processes use the serialization `advanced`, the faster one. */
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

/** @type {PoolKind} */
const piscina = {
  engine: 'thread',
  moves: true,
  recovers: true,
  async open({ workers, moves }) {
    const { Piscina } = await import('piscina');
    const filename = moves ? here('moved-piscina.js') : ECHO;
    const pool = new Piscina({ filename, ...sizeOf(workers) });
    return {
      run: (payload) =>
        moves
          ? pool.run(payload, { transferList: /** @type {any} */ (transferable(payload, moves)) })
          : pool.run(payload),
      kill: () => pool.threads[0].terminate(),
      close: () => pool.destroy(),
    };
  },
};

/** @param {'worker_threads' | 'child_process'} runtime @returns {PoolKind} */
const tinypool = (runtime) => ({
  engine: runtime === 'child_process' ? 'process' : 'thread',
  moves: runtime === 'worker_threads',
  recovers: runtime === 'child_process',
  async open({ workers, moves }) {
    const { Tinypool } = await import('tinypool');
    const filename = moves ? here('moved-tinypool.js') : ECHO;
    const pool = new Tinypool({ filename, runtime, ...settings, ...sizeOf(workers) });
    return {
      run: (payload) =>
        pool.run(payload, { transferList: /** @type {any} */ (transferable(payload, moves)) }),
      kill: killChild,
      close: () => pool.destroy(),
    };
  },
});

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

/** @type {PoolKind} */
const poolifierCluster = {
  engine: 'process',
  async open({ workers }) {
    const { FixedClusterPool } = await import('poolifier');
    const pool = new FixedClusterPool(workers, here('poolifier-cluster.cjs'), { settings });
    return {
      run: (payload) => pool.execute(payload),
      close: () => pool.destroy(),
    };
  },
};

/** @type {Record<string, PoolKind>} */
export const LIBRARIES = {
  piscina,
  'tinypool thread': tinypool('worker_threads'),
  'tinypool process': tinypool('child_process'),
  'workerpool thread': workerpool('thread'),
  'workerpool process': workerpool('process'),
  'poolifier thread': poolifierThread,
  'poolifier cluster': poolifierCluster,
};
