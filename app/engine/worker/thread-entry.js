/** Runs one match in a thread of the pool. */
import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { describeFailure, watchExit } from '../failure.js';
import { runWorker } from './run.js';

/**
 * @param {{name: string, task: import('./run.js').Task, memory: SharedArrayBuffer}} message
 * @returns {Promise<import('../failure.js').Failure | undefined>} the error, if there was one
 */
export default async function run({ task, memory }) {
  const unwatchExit = watchExit((error) =>
    parentPort?.postMessage({ failed: describeFailure(error) }),
  );
  try {
    const ready = () => parentPort?.postMessage({ tid: kernelThreadId() });
    await runWorker(task, memory, ready, (kind, text) => parentPort?.postMessage({ [kind]: text }));
    return undefined;
  } catch (error) {
    return describeFailure(error);
  } finally {
    unwatchExit();
  }
}

/** @returns {number | undefined} the kernel's id of this thread, not Node's threadId; undefined: this is not Linux */
function kernelThreadId() {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')));
  } catch {
    return undefined;
  }
}
