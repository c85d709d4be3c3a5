/**
 * A pool of workers for CPU-bound tasks: threads, processes, or forks of a warm process. Its interface is that of
 * piscina.
 *
 *   const pool = new Pool({ filename: new URL('./resize.js', import.meta.url), engine: 'zygote' });
 *   const small = await pool.run({ image }, { signal: AbortSignal.timeout(500) });
 *   await pool.close();
 */
import '../native/refuse-bundle.js';
import { Pool } from './pool.js';
import { workerState } from './worker/state.js';

export * from './types.js';
export { move, queueOptionsSymbol, transferableSymbol, valueSymbol } from './movable.js';
export { ArrayTaskQueue, FixedQueue } from './task-queue.js';
export { Pool, Pool as Piscina, Pool as default };
// For require(), which returns the class as piscina's does.
export { Pool as 'module.exports' };

export const { isWorkerThread, workerData } = workerState;
export const { version } = Pool;
