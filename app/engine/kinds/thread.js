/**
 * Runs each worker as a thread. A match is one long task in a piscina pool of one thread. So every match has a fresh
 * heap and its own resourceLimits.
 *
 * The thread engine cannot contain the following; the process engine can:
 * - Memory of typed arrays, which is outside V8's heap. The worker reports its size. A worker that grows over many
 *   ticks is killed; one that allocates everything within a tick is killed only once it counts as hung.
 * - A single built-in call that needs much more heap than is left (for example, splitting a string of megabytes into
 *   characters). V8 then ends the whole process instead of the thread (tried on Node 20 and 24).
 * - Crashes of native code, and a system call that never returns.
 */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { PitvError } from '../../errors.js';
import { asError, restoreFailure } from '../failure.js';
import { Engine } from '../host/engine.js';
import { YOUNG_GENERATION_MB } from '../host/process-worker.js';

const ENTRY = fileURLToPath(new URL('../worker/thread-entry.cjs', import.meta.url));
const STACK_MB = 4;

/** Opens the engine. @param {import('../host/options.js').CheckedEngineOptions} options */
export async function open(options) {
  const { heapMb } = options;
  return new Engine(
    {
      name: 'thread',
      ownProcess: false,
      share: (bytes) => ({ memory: new SharedArrayBuffer(bytes), free() {} }),
      launch: (request) => launchIn(makePool(heapMb), request),
    },
    options,
  );
}

/** Makes a pool for one worker. @param {number} heapMb */
const makePool = (heapMb) =>
  new Piscina({
    filename: ENTRY,
    minThreads: 0, // with 1, piscina would replace a crashed thread
    maxThreads: 1,
    recordTiming: false,
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      maxOldGenerationSizeMb: heapMb,
      stackSizeMb: STACK_MB,
    },
  });

/**
 * Starts a worker in the thread of a pool.
 * @param {Piscina} pool see makePool() @param {import('../host/launcher.js').LaunchRequest} request
 * @returns {import('../host/launcher.js').Launch}
 */
function launchIn(pool, { name, task, shared, warn, output }) {
  const abort = new AbortController();
  const outcome = pool
    .run({ name, task, memory: shared.memory }, { signal: abort.signal })
    .then((failure) => failure && restoreFailure(failure))
    .catch((error) => (abort.signal.aborted ? undefined : asError(error)));
  /** @type {Error | undefined} */
  let failure;
  const [thread] = pool.threads;
  const { threadId } = thread;
  const exited = new Promise((resolve) => thread.once('exit', resolve));

  const ended = outcome.then(async (thrown) => {
    pool.destroy();
    await exited;
    const error = failure ?? thrown;
    const code = error || abort.signal.aborted ? 1 : 0;
    const outOfMemory = Reflect.get(Object(error), 'code') === 'ERR_WORKER_OUT_OF_MEMORY';
    return { code, signal: null, error, outOfMemory };
  });
  /** @type {Promise<{tid?: number}>} */
  const ready = new Promise((resolve, reject) => {
    pool.on('message', (message) => {
      if (message?.warning) warn(message.warning);
      else if (message?.output) output(message.output);
      else if (message?.failed) failure = restoreFailure(message.failed);
      else resolve(message);
    });
    pool.on('error', reject); // the thread failed before it got its task
    const sentence = `Worker "${name}" ended before it was ready.`;
    ended.then(({ error }) => reject(error ?? new PitvError('PITV_WORKER_STOPPED', sentence)));
  });
  return { pid: process.pid, threadId, ready, ended, kill: () => abort.abort() };
}
