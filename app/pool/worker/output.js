/**
 * Waits until the output of a worker has been written. Node.js keeps what a full pipe does not take, and writes it in a
 * later turn of the event loop, which stands still while the worker waits for a task.
 */

/** Streams that this worker has used. @type {Set<import('node:stream').Writable>} */
const used = new Set();

/**
 * Notes which of process.stdout and process.stderr are used, without creating the others. A zygote calls it before it
 * loads a module.
 */
export function watchOutput() {
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    const property = Object.getOwnPropertyDescriptor(process, name);
    const get = () => {
      const stream = property?.get?.call(process);
      used.add(stream);
      return stream;
    };
    if (property?.get) Object.defineProperty(process, name, { ...property, get });
  }
}

/** @returns {Promise<void> | undefined} undefined: everything has been written */
export function flushOutput() {
  /** @type {Promise<void> | undefined} */
  let flushing;
  for (const stream of used) {
    if (stream.writableLength === 0 || stream.destroyed) continue;
    const before = flushing;
    flushing = new Promise((resolve) => stream.write('', () => resolve(before)));
  }
  return flushing;
}
