/** The program that a worker process runs: one match, from its start to its end. */
import { closeSync, readFileSync } from 'node:fs';
import { describeFailure } from '../failure.js';
import { native } from '../../native/native.js';
import { raiseOomScore } from './oom-score.js';
import { runWorker } from './run.js';

/** @see MAILBOX_FD in ../process.js, which this file does not import: it would load the main side */
const MAILBOX_FD = 4;

/** @typedef {{task: import('./run.js').Task, memoryMb: number}} Request */

const [parentPid, name] = process.argv.slice(2);
const addon = native();
if (!addon.dieWithParent(Number(parentPid))) process.exit(1);
addon.setLimit('core', 0); // a core file takes seconds to write, and the SD card's space
raiseOomScore();
process.title = `pitv:${name}`;
// Ctrl-C and service managers signal the whole group; when to stop is the main process's to say.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
process.on('uncaughtException', fail);

const memory = addon.mapMemory(MAILBOX_FD);
closeSync(MAILBOX_FD);

process.once('message', async (/** @type {Request} */ { task, memoryMb }) => {
  try {
    boundMemory(memoryMb);
    await runWorker(task, memory, () => process.send?.({ ready: true }));
    process.exit(0);
  } catch (error) {
    fail(error);
  }
});

process.send?.({ awaits: 'task' });

/**
 * The supervisor looks now and then; this holds at any moment: what is over the bound is refused, so
 * that a worker that runs away can't take the machine's memory in between.
 * @param {number} memoryMb on top of what Node itself has by now (most of it never touched)
 */
function boundMemory(memoryMb) {
  const status = readFileSync('/proc/self/status', 'latin1');
  const dataKib = Number(/^VmData:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  if (dataKib > 0) addon.setLimit('data', (dataKib + memoryMb * 1024) * 1024);
}

/** @param {unknown} thrown */
function fail(thrown) {
  const leave = () => process.exit(1);
  if (!process.connected) return leave();
  process.send?.({ failed: describeFailure(thrown) }, leave);
}
