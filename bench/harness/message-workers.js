/**
 * Starts workers that exchange messages with this program, without a library. The same code runs in Node.js, Bun and
 * Deno, and starts workers as the documentation of each recommends:
 *
 * - threads: a Web Worker in Bun (bun.com/docs/runtime/workers) and Deno (docs.deno.com/runtime/fundamentals/workers),
 *   node:worker_threads in Node.js
 * - processes: Bun.spawn() with `ipc` (bun.com/guides/process/ipc), fork() of node:child_process in Node.js and Deno
 *   (docs.deno.com/examples/child_process_ipc)
 *
 * The worker's side is in message-parent.js.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as threads from 'node:worker_threads';

/**
 * @typedef {object} MessageWorker
 * @property {number} pid of the process that runs it
 * @property {(message: unknown) => void} send
 * @property {(onMessage: (message: any) => void) => void} listen calls the function for each message of the worker
 * @property {() => Promise<unknown>} end
 */

const { Bun, Worker: WebWorker } = /** @type {any} */ (globalThis);

/** Starts a thread. @param {URL} program @returns {MessageWorker} */
export function startThread(program) {
  const worker = WebWorker
    ? new WebWorker(program.href, { type: 'module' })
    : new threads.Worker(program);
  /** @param {(message: any) => void} onMessage */
  const listen = (onMessage) => {
    if (WebWorker) worker.onmessage = (/** @type {{data: unknown}} */ { data }) => onMessage(data);
    else worker.on('message', onMessage);
  };
  worker.onerror = (/** @type {{message: string}} */ { message }) => {
    throw new Error(message);
  };
  return {
    pid: process.pid,
    send: (message) => worker.postMessage(message),
    listen,
    end: async () => worker.terminate(),
  };
}

/** Starts a process. @param {URL} program @returns {MessageWorker} */
export const startProcess = (program) =>
  Bun ? startBunProcess(program) : startNodeProcess(program);

/** Of structured clones; JSON is slower. */
const serialization = 'advanced';

/** @param {URL} program @returns {MessageWorker} */
function startNodeProcess(program) {
  const child = fork(fileURLToPath(program), { serialization });
  const ended = once(child, 'exit');
  return {
    pid: Number(child.pid),
    send: (message) => child.send(/** @type {any} */ (message)),
    listen: (onMessage) => child.on('message', onMessage),
    end() {
      child.kill();
      return ended;
    },
  };
}

/** @param {URL} program @returns {MessageWorker} */
function startBunProcess(program) {
  /** @type {(message: any) => void} */
  let onMessage = () => {};
  const child = Bun.spawn([process.execPath, fileURLToPath(program)], {
    ipc: (/** @type {unknown} */ message) => onMessage(message),
    serialization,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return {
    pid: child.pid,
    send: (message) => child.send(message),
    listen: (listener) => (onMessage = listener),
    end() {
      child.kill();
      return child.exited;
    },
  };
}
