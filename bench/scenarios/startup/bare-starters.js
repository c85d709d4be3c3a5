/** Starts threads and processes without an engine, in Node.js, Bun and Deno, for the `startup` scenario. */
import { startProcess, startThread } from '../../harness/message-workers.js';

const PROGRAM = new URL('./bare-worker.js', import.meta.url);

/** How workers are started, by level of a configuration. */
export const BARE_LEVELS = Object.freeze(['thread', 'process']);

/**
 * Returns what starts workers, with the part of the contract of an engine that the scenario uses.
 * @param {string} level one of BARE_LEVELS
 * @returns {import('./starters.js').Starter}
 */
export function openBare(level) {
  const launch = level === 'thread' ? startThread : startProcess;
  return {
    engine: {
      async start(url, { options }) {
        const began = performance.now();
        const worker = launch(PROGRAM);
        const spawnMs = performance.now() - began;
        const ready = new Promise((resolve) => worker.listen(resolve));
        worker.send({ url: String(url), options });
        await ready;
        const startup = { spawnMs, readyMs: performance.now() - began };
        return { pid: worker.pid, startup, stop: () => worker.end() };
      },
      async close() {},
    },
    prepare: async () => ({}),
  };
}
