/**
 * Processes. A worker is a node:cluster worker of its own; the mailbox is shared memory that it maps
 * by a descriptor it inherits. A worker can't take anything with it: not the TV, not other matches.
 * Its price is start-up time and memory. A program that uses node:cluster itself does not notice (but
 * see host/isolated-cluster.js).
 */
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { PitvError, messageOf } from '../../errors.js';
import { asError, restoreFailure } from '../failure.js';
import { Engine } from '../host/engine.js';
import { forkIsolated } from '../host/isolated-cluster.js';
import {
  processStats,
  ranOutOfMemory,
  shareMemory,
  spawnOptions,
  tailOf,
} from '../host/process-worker.js';
import { native } from '../../native/native.js';

/** @typedef {import('../host/options.js').CheckedEngineOptions} EngineOptions */
/** @typedef {import('../host/engine.js').LaunchEnd} LaunchEnd */
/** @typedef {import('../host/process-worker.js').SpawnOptions} SpawnOptions */

const ENTRY = fileURLToPath(new URL('../worker/process-entry.js', import.meta.url));
/** Which of the child's descriptors is the mailbox: the one after stdin, stdout, stderr and IPC. */
export const MAILBOX_FD = 4;

/**
 * @param {EngineOptions} options
 * @throws {PitvError} PITV_ENGINE_UNSUPPORTED
 */
export async function open(options) {
  const { heapMb, memoryMb } = options;
  const base = spawnOptions({ heapMb });
  const spawn = options.spawn ? options.spawn(base) : base;
  const addon = requirements();
  return new Engine(
    {
      name: 'process',
      ownProcess: true,
      share: (bytes) => shareMemory(addon, bytes),
      launch: (request) => launch(request, memoryMb, spawn, options.log),
      stats: processStats,
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
 * @param {import('../host/engine.js').LaunchRequest} request
 * @param {number} memoryMb
 * @param {SpawnOptions} spawn
 * @param {EngineOptions['log']} log
 * @returns {import('../host/engine.js').Launch}
 */
export function launch({ name, task, shared }, memoryMb, spawn, log) {
  /** @type {import('node:cluster').ClusterSettings} */
  const settings = {
    exec: ENTRY,
    args: [String(process.pid), name],
    execArgv: spawn.execArgv,
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'pipe', 'ipc', /** @type {number} */ (shared.fd)],
  };
  const worker = forkIsolated(settings, spawn.around, spawn.env);
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
      if (message?.ready) resolve({});
      else if (message?.failed) fail(restoreFailure(message.failed));
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
      resolve({ code, signal, error: failure, outOfMemory: ranOutOfMemory(said) });
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
