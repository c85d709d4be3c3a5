/**
 * What a module can ask about the worker that it runs in. A process may have several instances of this library, for
 * example one of its ES modules and one that a compiler has made of them for require(). They share this state.
 */

const KEY = Symbol.for('pitv.pool.worker');
/** @type {any} */
const shared = globalThis;

/** @type {{isWorkerThread: boolean, workerData: any}} */
export const workerState = (shared[KEY] ??= { isWorkerThread: false, workerData: undefined });
