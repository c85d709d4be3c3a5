/**
 * Processes. A worker is a node:cluster worker of its own; the mailbox is shared memory that it maps
 * by a descriptor it inherits. A worker can't take anything with it: not the TV, not other matches.
 * Its price is start-up time and memory.
 */
import cluster from 'node:cluster';
import { closeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import pidusage from 'pidusage';
import { PitvError, messageOf } from '../errors.js';
import { counters } from './host/counters.js';
import { Engine, engineLimits } from './host/engine.js';
import { memoryOf } from './host/procfs.js';
import { native } from './native.js';
import { asError } from './worker.js';

/** @typedef {import('./host/engine.js').EngineOptions} EngineOptions */
/** @typedef {import('./host/engine.js').LaunchEnd} LaunchEnd */

const ENTRY = fileURLToPath(new URL('./entry/process.js', import.meta.url));
/** Which of the child's descriptors is the mailbox: the one after stdin, stdout, stderr and IPC. */
export const MAILBOX_FD = 4;
/** A worker's steady state allocates next to nothing, so a small nursery is enough. */
const YOUNG_GENERATION_MB = 1;
/** How much of what a worker said last is kept to find out why it ended. */
const STDERR_TAIL_CHARS = 8192;
/** How long after the end of a process its stderr may still come in. */
const STDERR_DRAIN_MS = 200;
/** What V8, the C++ library and a refused ArrayBuffer say. */
const OUT_OF_MEMORY = /heap out of memory|std::bad_alloc|Array buffer allocation failed/;

/**
 * How worker processes are spawned. Whoever wants them otherwise (memory laid out alike, say) changes
 * this by EngineOptions.spawn and nothing else.
 * @typedef {object} SpawnOptions
 * @property {string[]} execArgv Node's and V8's options
 * @property {Record<string, string>} env added to this process's own
 * @property {<T>(spawn: () => T) => T} around calls spawn(), which forks; may change this process's
 *   state before and must put it back after
 */

/**
 * @param {{heapMb: number}} limits
 * @returns {SpawnOptions}
 */
export function spawnOptions({ heapMb }) {
  return {
    execArgv: [`--max-old-space-size=${heapMb}`, `--max-semi-space-size=${YOUNG_GENERATION_MB}`],
    env: {},
    around: (spawn) => spawn(),
  };
}

/**
 * @param {EngineOptions} options
 * @throws {PitvError} PITV_ENGINE_UNSUPPORTED
 */
export async function open(options) {
  const { heapMb, memoryMb } = engineLimits(options);
  const base = spawnOptions({ heapMb });
  const spawn = options.spawn ? options.spawn(base) : base;
  const addon = requirements();
  return new Engine(
    {
      name: 'process',
      ownProcess: true,
      share(bytes) {
        const { buffer, fd } = addon.createMemory(bytes);
        const free = () => {
          addon.unmapMemory(buffer);
          closeSync(fd);
        };
        return { memory: buffer, fd, free };
      },
      launch: (request) => launch(request, memoryMb, spawn, options.log),
      stats: processStats,
      close: async () => pidusage.clear(),
    },
    options,
  );
}

function requirements() {
  if (process.platform !== 'linux' || !isMainThread || !cluster.isPrimary) {
    const sentence = 'The process engine needs Linux and the main thread of a process of its own.';
    throw new PitvError('PITV_ENGINE_UNSUPPORTED', sentence);
  }
  try {
    return native();
  } catch (cause) {
    const sentence = `The process engine does not work here: ${messageOf(cause)}`;
    throw new PitvError('PITV_ENGINE_UNSUPPORTED', sentence, { cause });
  }
}

/**
 * @param {import('./host/engine.js').LaunchRequest} request
 * @param {number} memoryMb
 * @param {SpawnOptions} spawn
 * @param {EngineOptions['log']} log
 * @returns {import('./host/engine.js').Launch}
 */
function launch({ name, task, shared }, memoryMb, spawn, log) {
  cluster.setupPrimary({
    exec: ENTRY,
    args: [String(process.pid), name],
    execArgv: spawn.execArgv,
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'pipe', 'ipc', /** @type {number} */ (shared.fd)],
  });
  const worker = spawn.around(() => cluster.fork(spawn.env));
  const child = worker.process;

  /** @type {Error | undefined} */
  let failure;
  const ready = new Promise((resolve, reject) => {
    /** @param {Error} error */
    const fail = (error) => {
      failure ??= error;
      reject(error);
    };
    worker.on('message', (message) => {
      if (message.ready) resolve({});
      else if (message.failed) fail(message.failed);
      else send();
    });
    worker.on('error', fail); // could not be spawned, or its channel broke
    // Not before it is asked for: what cluster delivers to a child that still loads is lost.
    function send() {
      try {
        worker.send({ task, memoryMb }, () => {});
      } catch (error) {
        fail(asError(error)); // options that can't be cloned
      }
    }
  });
  const lastWords = tailOf(child.stderr, (text) => {
    if (log) log.warn({ name, pid: child.pid }, text.trimEnd());
    else process.stderr.write(text);
  });
  /** @type {Promise<LaunchEnd>} */
  const ended = new Promise((resolve) => {
    child.once('exit', async (code, signal) => {
      const said = `${await lastWords()}\n${failure?.message}`;
      const outOfMemory = OUT_OF_MEMORY.test(said);
      resolve({ code, signal, error: failure, outOfMemory });
    });
    child.once('error', (error) => {
      if (!child.pid) resolve({ code: null, signal: null, error });
    });
  });
  ready.catch(() => {});
  return {
    pid: child.pid ?? 0,
    threadId: 0,
    ready,
    ended,
    kill: () => child.kill('SIGKILL'),
  };
}

/**
 * @param {import('node:stream').Readable | null} stream a worker's stderr
 * @param {(text: string) => void} pass gets all of it
 * @returns {() => Promise<string>} waits for the end of the stream and tells the last of it
 */
function tailOf(stream, pass) {
  if (!stream) return async () => '';
  let tail = '';
  stream.setEncoding('utf8').on('data', (text) => {
    pass(text);
    tail = (tail + text).slice(-STDERR_TAIL_CHARS);
  });
  const closed = new Promise((resolve) => stream.once('close', resolve));
  return async () => {
    // What a worker started itself may hold its stderr open for ever.
    const timer = setTimeout(() => stream.destroy(), STDERR_DRAIN_MS);
    await closed;
    clearTimeout(timer);
    return tail;
  };
}

/**
 * @param {import('./host/handle.js').WorkerHandle[]} workers
 * @returns {Promise<import('./host/engine.js').WorkerStats[]>}
 */
async function processStats(workers) {
  return Promise.all(
    workers.map(async (worker) => {
      const usage = await pidusage(worker.pid).catch(() => undefined); // it has just ended
      return counters(worker, memoryOf(worker.pid), usage?.ctime ?? 0);
    }),
  );
}
