/** Runs one match in a worker process. With a lock, it locks itself before it loads the game. */
import { closeSync } from 'node:fs';
import { native } from '../../native/native.js';
import { KIND } from '../zygote/channel.js';
import { runLocked } from './locked-program.js';
import { limitMemory, makeExpendable, nameProcess } from './process-setup.js';
import { runWorker } from './run.js';

/** FIRST_DESCRIPTOR of host/locked-process.js. Importing that file would load the main process's side of the engine. */
const MAILBOX_FD = 4;

/** @typedef {{name: string, task: import('./run.js').Task, memoryMb: number}} Request */

await runLocked(async (/** @type {Request} */ { name, task, memoryMb }, worker, lock) => {
  nameProcess(`pitv:${name}`);
  const memory = native().mapMemory(MAILBOX_FD);
  closeSync(MAILBOX_FD);
  if (task.lock) lock();
  else {
    makeExpendable();
    limitMemory(memoryMb);
  }
  const ready = () => worker.report(KIND.ready);
  const { trimMalloc } = native();
  await runWorker(task, memory, ready, (kind, text) => worker.report(KIND[kind], text), trimMalloc);
});
