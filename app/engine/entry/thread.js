/** The task that a thread of the pool runs: one match, from its start to its end. */
import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { runWorker } from '../worker.js';

/**
 * @param {{name: string, task: import('../worker.js').Task, memory: SharedArrayBuffer}} message
 */
export default function run({ task, memory }) {
  return runWorker(task, memory, () => parentPort?.postMessage({ tid: kernelThreadId() }));
}

/** @returns {number | undefined} the kernel's number of this thread; Node's threadId is another */
function kernelThreadId() {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')));
  } catch {
    return undefined; // not Linux
  }
}
