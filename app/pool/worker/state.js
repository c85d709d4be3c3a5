/** What a module can ask about the worker that it runs in. */

/** @type {{isWorkerThread: boolean, workerData: any}} */
export const workerState = { isWorkerThread: false, workerData: undefined };
