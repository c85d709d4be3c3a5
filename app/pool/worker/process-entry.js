/** The program of a worker that is a process. With a lock, it locks itself before it loads the module of its tasks. */
import { runLocked } from '../../engine/worker/locked-program.js';
import { nameProcess } from '../../engine/worker/process-setup.js';
import { watchOutput } from './output.js';
import { serveProcess, watchEnd } from './serve-process.js';

/** @typedef {{start: import('./task-server.js').Start, lock?: object}} Request */

/** @type {Parameters<typeof runLocked<Request>>[0]} */
const program = async (request, channel, lock) => {
  watchOutput();
  nameProcess('pitv:task');
  watchEnd();
  await serveProcess(request.start, channel, request.lock && lock);
};

// The worker reports by itself how it ends.
await runLocked(program, { reportsEnd: false });
