/** Runs one match in a worker process. With a lock, it locks itself before it loads the game. */
import { closeSync } from 'node:fs';
import { native } from '../../native/native.js';
import { KIND } from '../zygote/channel.js';
import { runLocked } from './locked-program.js';
import { nameProcess } from './process-setup.js';
import { runWorker } from './run.js';

/** @typedef {{name: string, task: import('./run.js').Task}} Request */

await runLocked(async (/** @type {Request} */ { name, task }, worker, lock) => {
  nameProcess(`pitv:${name}`);
  const [mailbox] = worker.descriptors;
  const memory = native().mapMemory(mailbox);
  closeSync(mailbox);
  lock();
  const ready = () => worker.report(KIND.ready);
  const { trimMalloc } = native();
  await runWorker(task, memory, ready, (kind, text) => worker.report(KIND[kind], text), trimMalloc);
});
