/** Children that start a worker_thread, with and without Node's platform threads. */
import { Worker } from 'node:worker_threads';
import { native } from '../../../../app/native/native.js';

/** A WebAssembly module with one function that returns 42. */
const BYTES = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0,
  0, 10, 6, 1, 4, 0, 65, 42, 11]; // prettier-ignore
/** The compilation gives work to the platform, which the thread waits for. */
const SOURCE = `WebAssembly.instantiate(new Uint8Array([${BYTES}]))
  .then(({ instance }) => require('node:worker_threads').parentPort.postMessage(instance.exports.f()));`;

/** @param {{restart: boolean}} args restart: do children start the platform threads again? */
export function warm({ restart }) {
  if (!restart) native().reviveThreads = () => 0;
}

/** @param {unknown} _ @param {import('../../../../app/engine/zygote/inside/worker.js').Worker} worker */
export default function run(_, worker) {
  const thread = new Worker(SOURCE, { eval: true });
  thread.once('message', (value) => worker.send(value));
  return new Promise((resolve) => thread.once('exit', resolve));
}
