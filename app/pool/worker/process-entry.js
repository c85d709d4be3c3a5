/** The program of a worker that is a process. With a lock, it locks itself before it loads the module of its tasks. */
import { runLocked } from '../../engine/worker/locked-program.js';
import { limitMemory, makeExpendable, nameProcess } from '../../engine/worker/process-setup.js';
import { watchOutput } from './output.js';
import { serveProcess, watchEnd } from './serve-process.js';

/** Equals FIRST_DESCRIPTOR of engine/host/locked-process.js. */
const FIRST_FD = 4;

/**
 * @typedef {{start: import('./task-server.js').Start, memoryMb: number, descriptors: number, lock?: object}} Request
 */

/** @type {Parameters<typeof runLocked<Request>>[0]} */
const program = async (request, channel, lock) => {
  const { start, memoryMb, descriptors } = request;
  watchOutput();
  if (!request.lock) makeExpendable(); // the pool and the lock do it otherwise
  nameProcess('pitv:task');
  if (!request.lock && memoryMb > 0) limitMemory(memoryMb);
  const fds = Array.from({ length: descriptors }, (_, i) => FIRST_FD + i);
  watchEnd();
  await serveProcess(start, fds, channel, request.lock && lock);
};

// The worker reports by itself how it ends.
await runLocked(program, { reportsEnd: false });
