/** A worker as load balancers and listeners of workerCreate see it. */
import { summarize } from './histogram.js';

/** @typedef {import('./types.js').WorkerView} WorkerView */

/** The workers of views. @type {WeakMap<object, import('./host/pool-worker.js').PoolWorker>} */
const workers = new WeakMap();

/** @param {import('./host/pool-worker.js').PoolWorker} worker @returns {WorkerView} */
export function createView(worker) {
  const view = {
    get id() {
      return worker.id;
    },
    get currentUsage() {
      return worker.usage;
    },
    get isRunningAbortableTask() {
      return worker.usage === Infinity;
    },
    get histogram() {
      return worker.histogram ? summarize(worker.histogram) : null;
    },
    get terminating() {
      return worker.ending;
    },
    get destroyed() {
      return worker.ending;
    },
  };
  workers.set(view, worker);
  return view;
}

/** @param {object | null | undefined} view @returns {import('./host/pool-worker.js').PoolWorker | undefined} */
export const workerOf = (view) => (view ? workers.get(view) : undefined);
