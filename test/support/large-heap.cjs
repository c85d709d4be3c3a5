/** Preloaded into a TV (`node --require`): makes a heap snapshot of its main thread take seconds. */
if (require('node:worker_threads').isMainThread) {
  const ballast = Array.from({ length: 6e5 }, (_, index) => ({ index }));
  Reflect.set(globalThis, 'ballast', ballast);
}
