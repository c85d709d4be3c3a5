/** Sends each message back, in a thread or in a process, without a library. */
import { parentPort, workerData } from 'node:worker_threads';

if (parentPort) {
  parentPort.on('message', (message) =>
    parentPort?.postMessage(message, workerData.moves && message ? [message.buffer] : []),
  );
} else process.on('message', (message) => process.send?.(message));
