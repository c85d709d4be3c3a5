/** Runs one match in a worker process. */
import { closeSync } from 'node:fs';
import { describeFailure, watchExit } from '../failure.js';
import { native } from '../../native/native.js';
import { limitMemory, makeExpendable, nameProcess } from './process-setup.js';
import { runWorker } from './run.js';

/** Equals MAILBOX_FD of kinds/process.js. Importing that file would load the main process's side of the engine. */
const MAILBOX_FD = 4;

const [parentPid, name] = process.argv.slice(2);
const addon = native();
if (!addon.dieWithParent(Number(parentPid))) process.exit(1);
makeExpendable();
nameProcess(`pitv:${name}`);
process.on('uncaughtException', fail);
const unwatchExit = watchExit((error) => process.send?.({ failed: describeFailure(error) }));

const memory = addon.mapMemory(MAILBOX_FD);
closeSync(MAILBOX_FD);

/** @typedef {{task: import('./run.js').Task, memoryMb: number}} Request */

process.once('message', async (/** @type {Request} */ { task, memoryMb }) => {
  try {
    limitMemory(memoryMb);
    const ready = () => process.send?.({ ready: true });
    const send = (/** @type {unknown} */ message) => void process.send?.(message);
    await runWorker(task, memory, ready, send, addon.trimMalloc);
    unwatchExit();
    process.exit(0);
  } catch (error) {
    fail(error);
  }
});

process.send?.({ awaits: 'task' });

/** Reports an error and exits. @param {unknown} thrown */
function fail(thrown) {
  unwatchExit();
  const exit = () => process.exit(1);
  if (!process.connected) return exit();
  process.send?.({ failed: describeFailure(thrown) }, exit);
}
