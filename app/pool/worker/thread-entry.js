/** The program of a worker that is a thread. */
import os from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { native } from '../../native/native.js';
import { ArenaView, mapView } from '../transport/arena.js';
import { CONTROL, LOADED, viewOfAll } from '../transport/layout.js';
import { flushOutput, watchOutput } from './output.js';
import { workerState } from './state.js';
import { TaskServer } from './task-server.js';

/** Reads of shared memory before the thread sleeps: some microseconds. */
const SPINS = os.availableParallelism() > 1 ? 400 : 0;

/**
 * @typedef {object} ThreadStart
 * @property {SharedArrayBuffer} control the rings' control words
 * @property {SharedArrayBuffer} [memory] the rings; without the addon
 * @property {number} [memoryFd] descriptor of the rings; with the addon
 * @property {import('./task-server.js').Start} start
 * @property {import('node:worker_threads').MessagePort} values
 * @property {import('node:worker_threads').MessagePort} [bell] wakes both sides where there is no addon
 * @property {number} [poolEvent] @property {number} [ownEvent] @property {number} [arenaFd] descriptors
 */

watchOutput();
workerState.isWorkerThread = true;
workerState.workerData = workerData;
parentPort?.once('message', serve);

/** @param {ThreadStart} about */
async function serve({ control, memory, start, values, bell, ...descriptors }) {
  const { memoryFd = -1, poolEvent = -1, ownEvent = -1, arenaFd } = descriptors;
  const { no, yes } = LOADED;
  const before = Atomics.compareExchange(new Int32Array(control), CONTROL.loaded, no, yes);
  if (before !== no) process.exit();
  const addon = bell ? undefined : native();
  const server = new TaskServer(
    memory ? viewOfAll(memory) : mapView(memoryFd),
    start,
    {
      block,
      wakePool: () => (addon ? addon.signalEvent(poolEvent) : bell?.postMessage(0)),
      onWake(callback) {
        if (addon) addon.watchEvent(ownEvent, callback);
        else bell?.on('message', callback);
      },
      flush: flushOutput,
    },
    {
      control,
      port: values,
      blocks: arenaFd === undefined ? undefined : new ArenaView(arenaFd),
    },
  );
  // A thread without handles would end while a task awaits something; parentPort keeps it alive.
  parentPort?.on('message', () => {});
  await server.serve();
}

/** @param {Int32Array} control @param {number} index @param {number} value */
function block(control, index, value) {
  for (let i = 0; i < SPINS; i++) if (Atomics.load(control, index) !== value) return;
  Atomics.wait(control, index, value);
}
