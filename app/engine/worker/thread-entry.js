/** The task that a thread of the pool runs: one match, from its start to its end. */
import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { describeFailure } from '../failure.js';
import { runWorker } from './run.js';

/**
 * @param {{name: string, task: import('./run.js').Task, memory: SharedArrayBuffer}} message
 * @returns {Promise<import('../failure.js').Failure | undefined>} what went wrong, if something did
 */
export default async function run({ task, memory }) {
  try {
    await runWorker(task, memory, () => parentPort?.postMessage({ tid: kernelThreadId() }));
    return undefined;
  } catch (error) {
    return describeFailure(error);
  }
}

/** @returns {number | undefined} the kernel's number of this thread; Node's threadId is another */
function kernelThreadId() {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')));
  } catch {
    return undefined; // not Linux
  }
}
