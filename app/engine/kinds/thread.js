/**
 * Threads. A match is one long task of a piscina pool of one thread, so that no match gets a heap
 * that another one has used, and each has its own resourceLimits.
 *
 * What it can't bound (the process engine can):
 * - Memory of typed arrays is outside V8's heap. The worker tells how much it has, so one that grows
 *   over many ticks is ended, but one that takes all of it within a tick only when it counts as hung.
 * - V8 ends a thread that is over its heap, but a single built-in call that needs far more than is
 *   left (a text of megabytes split into letters) ends the whole process (tried on Node 20 and 24).
 * - Native code that crashes, or a thread that is stuck in a system call when the process is to end.
 */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { PitvError } from '../../errors.js';
import { asError, restoreFailure } from '../failure.js';
import { Engine } from '../host/engine.js';
import { counters } from '../host/counters.js';
import { memoryOf, threadCpuMs } from '../host/procfs.js';

/** @typedef {import('../host/engine.js').LaunchEnd} LaunchEnd */

const ENTRY = fileURLToPath(new URL('../worker/thread-entry.js', import.meta.url));
/** A worker's steady state allocates next to nothing, so a small nursery is enough. */
const YOUNG_GENERATION_MB = 1;
const STACK_MB = 4;

/** @param {import('../host/options.js').CheckedEngineOptions} options */
export async function open(options) {
  const { heapMb } = options;
  return new Engine(
    {
      name: 'thread',
      ownProcess: false,
      share: (bytes) => ({ memory: new SharedArrayBuffer(bytes), free() {} }),
      launch: (request) => launch(request, heapMb),
      stats: threadStats,
    },
    options,
  );
}

/**
 * @param {import('../host/engine.js').LaunchRequest} request @param {number} heapMb
 * @returns {import('../host/engine.js').Launch}
 */
function launch({ name, task, shared }, heapMb) {
  const pool = new Piscina({
    filename: ENTRY,
    minThreads: 0, // or it would replace a thread that crashed, and nobody wants that one
    maxThreads: 1,
    recordTiming: false,
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      maxOldGenerationSizeMb: heapMb,
      stackSizeMb: STACK_MB,
    },
  });
  const abort = new AbortController();
  const outcome = pool
    .run({ name, task, memory: shared.memory }, { signal: abort.signal })
    .then((failure) => failure && restoreFailure(failure))
    .catch((error) => (abort.signal.aborted ? undefined : asError(error)));
  const [thread] = pool.threads;
  const { threadId } = thread;
  const gone = new Promise((resolve) => thread.once('exit', resolve));

  const ended = outcome.then(async (error) => {
    pool.destroy();
    await gone;
    /** @type {LaunchEnd} */
    const end = { code: error || abort.signal.aborted ? 1 : 0, signal: null, error };
    end.outOfMemory = error && Reflect.get(error, 'code') === 'ERR_WORKER_OUT_OF_MEMORY';
    return end;
  });
  /** @type {Promise<{tid?: number}>} */
  const ready = new Promise((resolve, reject) => {
    pool.on('message', resolve);
    pool.on('error', reject); // of the thread, before it had its task
    ended.then(({ error }) => reject(error ?? unready(name)));
  });
  return { pid: process.pid, threadId, ready, ended, kill: () => abort.abort() };
}

/** @param {string} name */
function unready(name) {
  return new PitvError('PITV_WORKER_STOPPED', `Worker "${name}" ended before it was ready.`);
}

/**
 * The memory is the whole process's, for threads share it.
 * @param {import('../host/handle.js').WorkerHandle[]} workers
 * @returns {Promise<import('../host/engine.js').WorkerStats[]>}
 */
async function threadStats(workers) {
  const memory = await memoryOf(process.pid);
  return workers.map((worker) =>
    counters(worker, memory, worker.tid ? threadCpuMs(worker.pid, worker.tid) : 0),
  );
}
