/**
 * Runs each worker as a process, which maps the mailbox from an inherited descriptor. A worker that crashes affects
 * neither the TV nor other matches. The cost is start-up time and memory.
 */
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { PitvError, messageOf } from '../../errors.js';
import { Engine } from '../host/engine.js';
import { startProgram } from '../host/locked-process.js';
import {
  createSharedMemory,
  endOfProcess,
  logStderr,
  spawnOptionsOf,
} from '../host/process-worker.js';
import { native } from '../../native/native.js';
import { KIND } from '../zygote/channel.js';

/** @typedef {import('../host/options.js').CheckedEngineOptions} EngineOptions */

const ENTRY = fileURLToPath(new URL('../worker/process-entry.js', import.meta.url));

/** Opens the engine. @param {EngineOptions} options @throws {PitvError} PITV_ENGINE_UNSUPPORTED */
export async function open(options) {
  checkRequirements('process');
  return new Engine(
    {
      name: 'process',
      ownProcess: true,
      share: createSharedMemory,
      launch: (request) => launch(request, options),
    },
    options,
  );
}

/**
 * Checks that workers can be processes here.
 * @param {string} name of the engine @throws {PitvError} PITV_ENGINE_UNSUPPORTED
 */
export function checkRequirements(name) {
  if (process.platform !== 'linux' || !isMainThread) {
    const sentence = `The ${name} engine needs Linux and the main thread of a process.`;
    throw new PitvError('PITV_ENGINE_UNSUPPORTED', sentence);
  }
  try {
    native();
  } catch (cause) {
    const sentence = `The ${name} engine does not work here: ${messageOf(cause)}`;
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
  const { memoryMb, log } = options;
  const { lock, niceness } = task;
  const spawn = spawnOptionsOf(options, lock !== undefined);
  const request = { name, task, memoryMb };
  const descriptors = [/** @type {number} */ (shared.fd)];
  let resolveReady = (/** @type {{}} */ _) => {};
  let rejectReady = (/** @type {Error} */ _) => {};
  const ready = new Promise((resolve, reject) => {
    resolveReady = resolve;
    rejectReady = reject;
  });
  ready.catch(() => {});
  const events = {
    report(/** @type {number} */ kind, /** @type {string} */ text) {
      if (kind === KIND.ready) resolveReady({});
      else if (kind === KIND.warning) warn(text);
      else if (kind === KIND.output) output(text);
    },
    failed: rejectReady,
    unreadable: rejectReady,
  };
  const started = startProgram(
    { entry: ENTRY, lock, request, descriptors, spawn, niceness, log },
    events,
  );
  const { child } = started;
  child.once('error', rejectReady);
  const readStderr = logStderr(child, name, log, lock !== undefined);
  const ended = endOfProcess(started.exited, readStderr);
  return { pid: child.pid ?? 0, ready, ended, kill: () => child.kill('SIGKILL') };
}
