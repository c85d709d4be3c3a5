/** The program of a worker that is a process. With a lock, it locks itself before it loads the module of its tasks. */
import { native } from '../../native/native.js';
import { limitMemory } from '../../engine/worker/limit-memory.js';
import { runLocked } from '../../engine/worker/locked-program.js';
import { raiseOomScore } from '../../engine/worker/oom-score.js';
import { watchOutput } from './output.js';
import { serveProcess } from './serve-process.js';

/** Equals FIRST_DESCRIPTOR of engine/host/locked-process.js. */
const FIRST_FD = 4;

/**
 * @typedef {{start: import('./task-server.js').Start, memoryMb: number, descriptors: number, lock?: object}} Request
 */

/** @type {Parameters<typeof runLocked<Request>>[0]} */
const program = async (request, channel, lock) => {
  const { start, memoryMb, descriptors } = request;
  const addon = native();
  watchOutput();
  addon.setLimit('core', 0); // a core file takes seconds to write and space on the SD card
  if (!request.lock) raiseOomScore();
  process.title = 'pitv:task';
  // Ctrl-C signals the whole process group, but the pool's process decides when a worker ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  if (!request.lock && memoryMb > 0) limitMemory(memoryMb);
  const fds = Array.from({ length: descriptors }, (_, i) => FIRST_FD + i);
  await serveProcess(start, fds, channel, request.lock && lock);
};

// The pool reports by itself how a worker ends.
await runLocked(program, { reportsExit: false });
