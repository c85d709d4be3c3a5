/** The least there is: a message comes, the same message goes. In a thread or in a process. */
import { parentPort } from 'node:worker_threads';

if (parentPort) parentPort.on('message', (message) => parentPort?.postMessage(message));
else process.on('message', (message) => process.send?.(message));
