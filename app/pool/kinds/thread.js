/**
 * Workers that are threads. Requests and results are in shared memory; values that it cannot carry (ports, shared array
 * buffers, buffers that are moved) travel by a port. Without the addon, messages wake the pool, and long values travel
 * by the port as well.
 */
import { MessageChannel, Worker } from 'node:worker_threads';
import { openShared } from '../host/shared-memory.js';
import { addonIfBuilt } from '../transport/views.js';
import {
  CONTROL,
  CONTROL_BYTES,
  LOADED,
  linkBytes,
  ringsOf,
  viewOfAll,
} from '../transport/layout.js';

/** @typedef {import('../host/kind.js').OpenKind} OpenKind */
/** @typedef {import('../host/kind.js').Launch} Launch */
/** @typedef {import('../host/kind.js').LaunchRequest} LaunchRequest */
/** @typedef {import('../options.js').CheckedPoolOptions} PoolOptions */

const ENTRY = new URL('../worker/thread-entry.cjs', import.meta.url);
/** How long a thread that is to end may load modules. */
const MAX_LOAD_MS = 10_000;
/** Memory without the addon counts as used from the start. */
const SMALL_RING_BYTES = 1 << 20;

/** @type {OpenKind} */
export function open(options, onRing) {
  if (process.platform === 'linux' && options.addon && addonIfBuilt()) {
    const shared = openShared(options, onRing);
    const launch = (/** @type {LaunchRequest} */ request) => {
      const control = new SharedArrayBuffer(CONTROL_BYTES);
      return shared.launch((link) => launchShared(request, options, link, control), control);
    };
    return { ...shared.kind, launch };
  }
  return openPlain(options, onRing);
}

/** Opens workers without the addon. Each has a port that wakes the pool's event loop. @type {OpenKind} */
function openPlain(options, onRing) {
  /** @type {Set<import('node:worker_threads').MessagePort>} */
  const ports = new Set();
  /** @type {'ref' | 'unref'} */
  let reference = 'unref';
  return {
    launch: (request) =>
      launchPlain(request, options, (port) => {
        ports.add(port);
        port.on('message', onRing);
        port.once('close', () => ports.delete(port));
        port[reference]();
      }),
    keepAlive(on) {
      reference = on ? 'ref' : 'unref';
      for (const port of ports) port[reference]();
    },
    async close() {
      for (const port of ports) port.close();
    },
  };
}

/**
 * @param {LaunchRequest} request @param {PoolOptions} options
 * @param {import('../host/shared-memory.js').Link} link @param {SharedArrayBuffer} control
 * @returns {Launch}
 */
function launchShared(request, options, link, control) {
  const [memoryFd, poolEvent, ownEvent, arenaFd] = link.descriptors;
  const about = { control, memoryFd, poolEvent, ownEvent, arenaFd };
  const started = startThread(request, options, about, []);
  return {
    ...link,
    ...started,
    free() {
      started.values?.close();
      link.free();
      link.closeChildEnds();
    },
  };
}

/**
 * @param {LaunchRequest} request @param {PoolOptions} options
 * @param {(port: import('node:worker_threads').MessagePort) => void} addBell @returns {Launch}
 */
function launchPlain({ start, onMessage }, options, addBell) {
  const control = new SharedArrayBuffer(CONTROL_BYTES);
  const memory = new SharedArrayBuffer(linkBytes(SMALL_RING_BYTES));
  const { port1, port2 } = new MessageChannel();
  const small = { start: { ...start, ringBytes: SMALL_RING_BYTES }, onMessage };
  const started = startThread(small, options, { control, memory, bell: port2 }, [port2]);
  addBell(port1);
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
 * Starts a thread.
 * @param {LaunchRequest} request @param {PoolOptions} options
 * @param {{control: SharedArrayBuffer, [name: string]: any}} about
 * @param {import('node:worker_threads').MessagePort[]} ports
 * @throws {unknown} for example when workerData cannot be cloned
 */
function startThread({ start, onMessage }, options, about, ports) {
  const { env, argv, execArgv, resourceLimits, memoryMb, trackUnmanagedFds } = options;
  const worker = new Worker(ENTRY, {
    env: /** @type {any} */ (env),
    argv,
    execArgv,
    trackUnmanagedFds,
    workerData: start.workerData,
    resourceLimits: memoryMb
      ? { ...resourceLimits, maxOldGenerationSizeMb: memoryMb }
      : resourceLimits,
  });
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
  const words = new Int32Array(about.control);
  return {
    pid: process.pid,
    threadId: worker.threadId,
    values,
    ended,
    kill() {
      const { no, yes, ends } = LOADED;
      const loaded = Atomics.compareExchange(words, CONTROL.loaded, no, ends) === yes;
      // Ended while it opens the files of modules, a thread would leave them open. It ends by itself then.
      if (loaded) worker.terminate();
      else setTimeout(() => worker.terminate(), MAX_LOAD_MS).unref();
    },
    wakeBlocked: (/** @type {Int32Array} */ control, /** @type {number} */ index) =>
      void Atomics.notify(control, index),
    handle: worker,
  };
}
