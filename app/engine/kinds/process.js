/**
 * Runs each worker as a process: a node:cluster worker, which maps the mailbox from an inherited descriptor. A worker
 * that crashes affects neither the TV nor other matches. The cost is start-up time and memory. The engine can be used
 * in a program that uses node:cluster itself (see host/isolated-cluster.js).
 *
 * Messages from a worker are not bounded in size: Node buffers and decodes an IPC message before it emits an event.
 */
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { PitvError, messageOf } from '../../errors.js';
import { asError, restoreFailure } from '../failure.js';
import { Engine } from '../host/engine.js';
import { forkIsolated } from '../host/isolated-cluster.js';
import { launchLocked } from '../host/locked-process.js';
import {
  createSharedMemory,
  endOfProcess,
  logStderr,
  measureProcesses,
  spawnOptionsOf,
} from '../host/process-worker.js';
import { native } from '../../native/native.js';

/** @typedef {import('../host/options.js').CheckedEngineOptions} EngineOptions */

const ENTRY = fileURLToPath(new URL('../worker/process-entry.js', import.meta.url));
/** The child's descriptor of the mailbox, after stdin, stdout, stderr and IPC. */
export const MAILBOX_FD = 4;

/** Opens the engine. @param {EngineOptions} options @throws {PitvError} PITV_ENGINE_UNSUPPORTED */
export async function open(options) {
  checkRequirements();
  return new Engine(
    {
      name: 'process',
      ownProcess: true,
      share: createSharedMemory,
      launch: (request) => launch(request, options),
      stats: measureProcesses,
    },
    options,
  );
}

/** Checks that workers can be processes here. @throws {PitvError} PITV_ENGINE_UNSUPPORTED */
function checkRequirements() {
  if (process.platform !== 'linux' || !isMainThread || !cluster.isPrimary) {
    const sentence = 'The process engine needs Linux and the main thread of a process of its own.';
    throw new PitvError('PITV_ENGINE_UNSUPPORTED', sentence);
  }
  try {
    native();
  } catch (cause) {
    const sentence = `The process engine does not work here: ${messageOf(cause)}`;
    throw new PitvError('PITV_ENGINE_UNSUPPORTED', sentence, { cause });
  }
}

/**
 * Starts a worker process. Also used by the zygote engine while it has no zygote.
 * @param {import('../host/launcher.js').LaunchRequest} request
 * @param {EngineOptions} options of the engine
 * @returns {import('../host/launcher.js').Launch}
 */
export function launch({ name, task, shared, warn, output }, options) {
  if (task.lock) return launchLocked({ name, task, shared, warn, output }, task.lock, options);
  const spawn = spawnOptionsOf(options);
  /** @type {import('node:cluster').ClusterSettings} */
  const settings = {
    exec: ENTRY,
    args: [String(process.pid), name],
    execArgv: spawn.execArgv,
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'pipe', 'ipc', /** @type {number} */ (shared.fd)],
  };
  const worker = forkIsolated(settings, spawn.around, spawn.env);
  return follow(worker.process, { name, task, warn, output }, options);
}

/**
 * Follows a worker process to its end. It gets its task when it asks for it, because a message that arrives while it
 * still loads is lost.
 * @param {import('node:child_process').ChildProcess} child
 * @param {Omit<import('../host/launcher.js').LaunchRequest, 'shared'>} request @param {EngineOptions} options
 * @returns {import('../host/launcher.js').Launch}
 */
function follow(child, { name, task, warn, output }, { memoryMb, log }) {
  /** @type {Error | undefined} */
  let failure;
  const ready = new Promise((resolve, reject) => {
    /** @param {Error} error */
    const fail = (error) => {
      failure ??= error;
      reject(error);
    };
    child.on('message', (/** @type {any} */ message) => {
      if (message?.ready) resolve({});
      else if (message?.failed) fail(restoreFailure(message.failed));
      else if (message?.warning) warn(message.warning);
      else if (message?.output) output(message.output);
      else sendTask();
    });
    child.on('error', fail); // the process did not start, or its channel failed
    function sendTask() {
      try {
        child.send({ task, memoryMb }, () => {});
      } catch (error) {
        fail(asError(error)); // the options cannot be cloned
      }
    }
  });
  const ended = endOfProcess(child, logStderr(child, name, log), () => failure);
  ready.catch(() => {});
  return { pid: child.pid ?? 0, ready, ended, kill: () => child.kill('SIGKILL') };
}
