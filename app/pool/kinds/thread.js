/**
 * Workers that are threads. Requests and results are in shared memory; values that it cannot carry (ports, shared array
 * buffers, buffers that are moved) travel by a port. Without the addon, messages wake the pool, and long values travel
 * by the port as well.
 */
import { MessageChannel, Worker } from 'node:worker_threads';
import { PortBell } from '../host/doorbell.js';
import { createLink, openBell } from '../host/shared-memory.js';
import { Arena } from '../transport/arena.js';
import { addonIfBuilt } from '../transport/large-memory.js';
import { CONTROL_BYTES, linkBytes, ringsOf, viewOfAll } from '../transport/layout.js';

/** @typedef {import('../host/kind.js').Launch} Launch */

const ENTRY = new URL('../worker/thread-entry.js', import.meta.url);
/** Memory without the addon counts as used from the start. */
const SMALL_RING_BYTES = 1 << 20;

/** @type {import('../host/kind.js').OpenKind} */
export function open(options, onRing) {
  const addon = process.platform === 'linux' && options.addon ? addonIfBuilt() : undefined;
  const arena = addon && new Arena();
  const bell = addon ? openBell(onRing, arena) : new PortBell(onRing);
  return {
    arena,
    launch: (request) =>
      addon
        ? launchShared(
            request,
            options,
            /** @type {import('../host/doorbell.js').Doorbell} */ (bell),
            arena,
          )
        : launchPlain(request, options, /** @type {PortBell} */ (bell)),
    ref: () => bell.ref(),
    unref: () => bell.unref(),
    async close() {
      bell.close();
      arena?.close();
    },
  };
}

/**
 * @param {import('../host/kind.js').LaunchRequest} request
 * @param {import('../options.js').CheckedPoolOptions} options
 * @param {import('../host/doorbell.js').Doorbell} bell @param {Arena} [arena]
 * @returns {Launch}
 */
function launchShared(request, options, bell, arena) {
  const control = new SharedArrayBuffer(CONTROL_BYTES);
  const link = createLink(bell, arena, control);
  const [memoryFd, poolEvent, ownEvent, arenaFd] = link.descriptors;
  const free = () => {
    link.free();
    link.closeChildEnds();
  };
  const about = { control, memoryFd, poolEvent, ownEvent, arenaFd };
  const started = startThread(request, options, about, [], free);
  return {
    ...started,
    rings: link.rings,
    wakeLoop: link.wakeLoop,
    trim: link.trim,
    free() {
      started.values?.close();
      free();
    },
  };
}

/**
 * @param {import('../host/kind.js').LaunchRequest} request
 * @param {import('../options.js').CheckedPoolOptions} options
 * @param {PortBell} bell
 * @returns {Launch}
 */
function launchPlain(request, options, bell) {
  const control = new SharedArrayBuffer(CONTROL_BYTES);
  const memory = new SharedArrayBuffer(linkBytes(SMALL_RING_BYTES));
  const { port1, port2 } = new MessageChannel();
  bell.add(port1);
  const about = { control, memory, bell: port2 };
  const { start, onMessage } = request;
  const small = { start: { ...start, ringBytes: SMALL_RING_BYTES }, onMessage };
  const started = startThread(small, options, about, [port2], () => port1.close());
  // A closed port does not keep this process alive until the exit of the thread is known.
  port1.once('close', () => started.handle.ref());
  return {
    ...started,
    rings: ringsOf(viewOfAll(memory), SMALL_RING_BYTES, control),
    wakeLoop: () => port1.postMessage(0),
    free() {
      started.values?.close();
      port1.close();
    },
  };
}

/**
 * @param {import('../options.js').CheckedPoolOptions} options @param {any} workerData @param {() => void} free
 * @throws {unknown} for example when workerData cannot be cloned
 */
function createThread(options, workerData, free) {
  const { env, argv, execArgv, resourceLimits, memoryMb, trackUnmanagedFds } = options;
  try {
    return new Worker(ENTRY, {
      env: /** @type {any} */ (env),
      argv,
      execArgv,
      trackUnmanagedFds,
      workerData,
      resourceLimits: memoryMb
        ? { ...resourceLimits, maxOldGenerationSizeMb: memoryMb }
        : resourceLimits,
    });
  } catch (error) {
    free();
    throw error;
  }
}

/**
 * Starts a thread.
 * @param {import('../host/kind.js').LaunchRequest} request
 * @param {import('../options.js').CheckedPoolOptions} options
 * @param {object} about @param {import('node:worker_threads').MessagePort[]} ports
 * @param {() => void} free is called if the thread cannot be started
 */
function startThread({ start, onMessage }, options, about, ports, free) {
  const worker = createThread(options, start.workerData, free);
  const { port1: values, port2 } = new MessageChannel();
  // workerData has been passed already.
  const message = { ...about, start: { ...start, workerData: undefined }, values: port2 };
  worker.postMessage(message, [port2, ...ports]);
  worker.on('message', onMessage);
  worker.unref();
  /** @type {Error | undefined} */
  let error;
  worker.on('error', (thrown) => (error = thrown));
  /** @type {Promise<import('../host/kind.js').LaunchEnd>} */
  const ended = new Promise((resolve) => {
    worker.on('exit', (code) => {
      const outOfMemory = Reflect.get(Object(error), 'code') === 'ERR_WORKER_OUT_OF_MEMORY';
      resolve({ code, signal: null, error, outOfMemory });
    });
  });
  return {
    pid: process.pid,
    threadId: worker.threadId,
    values,
    ended,
    kill: () => void worker.terminate(),
    wakeBlocked: (/** @type {Int32Array} */ control, /** @type {number} */ index) =>
      void Atomics.notify(control, index),
    handle: worker,
  };
}
