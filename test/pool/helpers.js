/** Helpers of the pool's tests. */
import { Pool } from '../../app/pool/index.js';
import { extent } from '../support/extent.js';

/** @param {string} name of a file in modules/ */
export const moduleUrl = (name) => new URL(`./modules/${name}`, import.meta.url);
const TASKS = moduleUrl('tasks.js');

/** What a worker can be. @type {Record<string, import('../../app/pool/index.js').PoolOptions>} */
export const ENGINES = {
  thread: { engine: 'thread' },
  'thread without the addon': { engine: 'thread', addon: false },
  process: { engine: 'process' },
  zygote: { engine: 'zygote' },
};

/** Those of tests of what all engines share. `make test` tries the others in engines.test.js. */
export const QUICK_ENGINES = extent({ thread: ENGINES.thread, zygote: ENGINES.zygote }, ENGINES);

/**
 * Creates a pool that is closed after the test.
 * @param {{after: (action: () => Promise<void>) => void}} t
 * @param {import('../../app/pool/index.js').PoolOptions} options
 */
export function poolFor(t, options) {
  const pool = new Pool({ filename: TASKS, minThreads: 1, maxThreads: 1, ...options });
  t.after(() => pool.destroy());
  return pool;
}

/**
 * Creates a pool whose worker is ready.
 * @param {Parameters<typeof poolFor>[0]} t @param {Parameters<typeof poolFor>[1]} options
 * @returns {Promise<{pool: Pool, pid: number}>} pid of the worker; NaN for a thread
 */
export async function readyPoolFor(t, options) {
  const pool = poolFor(t, options);
  await pool.run(0);
  return { pool, pid: Number(Reflect.get(pool.threads[0], 'pid')) };
}

/** Returns two words that a pool's workers share with this thread. @param {Pool} pool */
export const sharedWords = (pool) =>
  pool.options.addon === false
    ? new Int32Array(new SharedArrayBuffer(8))
    : new Int32Array(pool.allocate(8).buffer, 0, 2);
