/** Serves tasks in a worker that is a process. */
import { EventEmitter } from 'node:events';
import os from 'node:os';
import { createRequire } from 'node:module';
import 'node:worker_threads'; // before its exports are set
import { syncExports } from '../../engine/zygote/inside/internals.js';
import { native } from '../../native/native.js';
import { ArenaView, mapView } from '../transport/arena.js';
import { CONTROL, CONTROL_BYTES } from '../transport/layout.js';
import { flushOutput } from './output.js';
import { workerState } from './state.js';
import { TaskServer, loadClones } from './task-server.js';

/** How long a worker reads shared memory before it sleeps, µs. A pool under load answers within this time. */
const SPIN_MICROS = 20;
const SPINS = os.availableParallelism() > 1;

/** @typedef {import('./task-server.js').Start} Start */

/**
 * Runs tasks until the process ends.
 * @param {Start} start
 * @param {import('../../engine/zygote/inside/worker.js').Worker} channel carries messages that are no tasks; its
 *   descriptors: shared memory, the pool's event, this worker's event, the arena if there is one
 * @param {() => void} [lock] is called before code of others is loaded
 */
export async function serveProcess(start, channel, lock) {
  const addon = native();
  const [memoryFd, poolEvent, ownEvent, arenaFd] = channel.descriptors;
  const view = mapView(memoryFd);
  addon.closeDescriptor(memoryFd);
  addon.reportExhaustedMemory(new Int32Array(view(0, CONTROL_BYTES).buffer), CONTROL.exhausted);
  if (lock) await loadClones(); // it could not read the modules later
  lock?.();
  messages = channel;
  showAsWorker(start.workerData);
  const server = new TaskServer(
    view,
    start,
    {
      block: blockBriefly,
      wakePool: () => addon.signalEvent(poolEvent),
      flush: flushOutput,
      // Also keeps the process alive while a task awaits something.
      onWake: (callback) => addon.refWatcher(addon.watchEvent(ownEvent, callback)),
    },
    { blocks: arenaFd === undefined ? undefined : new ArenaView(arenaFd) },
  );
  serving = server;
  await server.serve().catch(end);
}

/** @type {TaskServer | undefined} */
let serving;

/** Has serveProcess() report the error that ends a worker. A zygote calls it for its forks. */
export function watchEnd() {
  process.on('uncaughtException', (error) => {
    if (!serving) throw error;
    if (process.listenerCount('uncaughtException') === 1) end(error); // else the module handles it, as in a thread
  });
}

/** Ends the process. @param {unknown} error */
async function end(error) {
  await serving?.reportEnd(error);
  process.exit(1);
}

/**
 * Whether the last wait ended while this side was still reading. A worker that waits longer does not spin next time.
 */
let wasBrief = true;

/** @param {Int32Array} control @param {number} index @param {number} value */
function blockBriefly(control, index, value) {
  const began = wasBrief && SPINS ? 0 : performance.now();
  native().waitWhile(control, index, value, began === 0 ? SPIN_MICROS : 0);
  wasBrief = began === 0 || (performance.now() - began) * 1000 < SPIN_MICROS * 4;
}

const threads = createRequire(import.meta.url)('node:worker_threads');
/** Sets what modules import as threadId. @type {((id: number) => void) | undefined} */
let setThreadId;

/** Carries messages of the module. @type {import('../../engine/zygote/inside/worker.js').Worker | undefined} */
let messages;

/**
 * Sets what a module expects in a worker: isWorkerThread and workerData, a parentPort for messages, and no main thread.
 * A module that starts its program in the main thread, and handles tasks elsewhere, would start it in each process. A
 * zygote does it before it loads the module, and again in each fork.
 * @param {any} workerData
 */
export function showAsWorker(workerData) {
  threads.threadId = process.pid; // a module may name files by it
  if (setThreadId) return setThreadId(process.pid);
  workerState.isWorkerThread = true;
  workerState.workerData = workerData;
  threads.isMainThread = false;
  threads.workerData = workerData;
  threads.parentPort = createParentPort();
  setThreadId = syncExports('threadId');
}

/** Creates a port that sends messages and receives none. */
const createParentPort = () =>
  Object.assign(new EventEmitter(), {
    postMessage(/** @type {any} */ value, /** @type {any} */ moved) {
      const transfer = moved?.transfer ?? moved; // options, or a list
      messages?.send({ message: structuredClone(value, transfer && { transfer }) });
    },
    addEventListener() {},
    removeEventListener() {},
    start() {},
    close() {},
    ref() {},
    unref() {},
  });
