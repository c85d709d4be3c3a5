/**
 * Exchanges messages with the program that started this worker (message-workers.js): in a thread or a process, in
 * Node.js, Bun and Deno.
 */
import { isMainThread, parentPort } from 'node:worker_threads';

/**
 * @typedef {object} Parent
 * @property {(message: unknown) => void} send
 * @property {(onMessage: (message: any) => void) => void} listen
 */

/** @returns {Parent} */
function openParent() {
  const scope = /** @type {any} */ (globalThis);
  // In Deno, node:worker_threads takes a Web Worker for the main thread.
  if (isMainThread && scope.WorkerGlobalScope === undefined) {
    return {
      send: (message) => process.send?.(message),
      listen: (onMessage) => process.on('message', onMessage),
    };
  }
  if (typeof scope.postMessage === 'function') {
    return {
      send: (message) => scope.postMessage(message),
      listen: (onMessage) =>
        (scope.onmessage = (/** @type {{data: unknown}} */ { data }) => onMessage(data)),
    };
  }
  return {
    send: (message) => parentPort?.postMessage(message),
    listen: (onMessage) => parentPort?.on('message', onMessage),
  };
}

export const parent = openParent();
