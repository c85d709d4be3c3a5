/**
 * Runs one match in a worker process that locks itself before it loads the game. Unlike process-entry.js it has no IPC
 * channel of Node.js, by which a worker can make the main process open ports (node:cluster) or throw.
 */
import { closeSync } from 'node:fs';
import { native } from '../../native/native.js';
import { KIND } from '../zygote/channel.js';
import { runLocked } from './locked-program.js';
import { nameProcess } from './process-setup.js';
import { runWorker } from './run.js';

/** FIRST_DESCRIPTOR of host/locked-process.js. Importing that file would load the main process's side of the engine. */
const MAILBOX_FD = 4;

/** @typedef {{name: string, task: import('./run.js').Task}} Request */

await runLocked(async (/** @type {Request} */ { name, task }, worker, lock) => {
  nameProcess(`pitv:${name}`);
  const memory = native().mapMemory(MAILBOX_FD);
  closeSync(MAILBOX_FD);
  lock();
  const ready = () => worker.report(KIND.ready);
  const send = (/** @type {any} */ message) => void worker.reportJob(message);
  await runWorker(task, memory, ready, send, native().trimMalloc);
});
