/**
 * Workers that are processes. Requests and results are in shared memory, which the process maps from an inherited
 * descriptor; the rest travels by a socket. A locked worker locks itself before it loads the module of its tasks.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startLocked } from '../../engine/host/locked-process.js';
import { captureStderr } from '../../engine/host/process-worker.js';
import { ChildChannel } from '../../engine/zygote/child-channel.js';
import { KIND, encode } from '../../engine/zygote/channel.js';
import { LIMITS } from '../../limits/table.js';
import { native } from '../../native/native.js';
import { checkRequirements, openShared } from '../host/shared-memory.js';
import { execArgvOf, lockOf, v8Flags } from '../host/spawn-options.js';

const ENTRY = fileURLToPath(new URL('../worker/process-entry.js', import.meta.url));

/** @typedef {import('../options.js').CheckedPoolOptions} PoolOptions */

/** @type {import('../host/kind.js').OpenKind} */
export function open(options, onRing) {
  checkRequirements(options);
  const shared = openShared(options, onRing);
  return {
    ...shared.kind,
    launch: (request) => shared.launch((link) => launch(request, options, shared.ringBytes, link)),
  };
}

/**
 * Starts a worker.
 * @param {import('../host/kind.js').LaunchRequest} request
 * @param {PoolOptions} options @param {number} ringBytes
 * @param {import('../host/shared-memory.js').Link} given
 * @returns {import('../host/kind.js').Launch}
 */
export function launch({ start, onMessage }, options, ringBytes, given) {
  const { descriptors, outOfMemory, ...link } = given;
  const request = {
    start: { ...start, ringBytes },
    memoryMb: options.memoryMb ?? 0,
    descriptors: descriptors.length,
  };
  const events = {
    message: (/** @type {any} */ message) => onMessage(message?.message),
    failed() {}, // is channel.failure
  };
  const how = {
    request,
    descriptors,
    execArgv: [...v8Flags(options), ...execArgvOf(options)],
  };
  const { child, channel, closed } = options.locked
    ? startLockedProcess(how, options, events)
    : startProcess(how, options, events);
  link.closeChildEnds();
  child.unref();
  channel.unref();
  /** @type {any} */ (child.stderr)?.unref?.();
  const readStderr = captureStderr(
    child.stderr,
    (text) => void process.stderr.write(text),
    options.locked,
  );
  /** @type {Promise<import('../host/kind.js').LaunchEnd>} */
  const ended = new Promise((resolve) => {
    child.once('exit', async (code, signal) => {
      await closed;
      await readStderr();
      resolve({ code, signal, error: channel.failure, outOfMemory: outOfMemory() });
    });
    child.once('error', (error) => child.pid || resolve({ code: null, signal: null, error }));
  });
  return {
    ...link,
    pid: child.pid ?? 0,
    threadId: 0,
    ended,
    kill: () => void child.kill('SIGKILL'),
    handle: child,
  };
}

/**
 * @typedef {{request: any, descriptors: number[], execArgv: string[]}} How
 * @typedef {Partial<import('../../engine/zygote/child-channel.js').ChannelEvents>} Events
 */

/** @param {How} how @param {PoolOptions} options @param {Events} events */
function startLockedProcess({ request, descriptors, execArgv }, options, events) {
  const spawnOptions = { execArgv, env: {}, around: (/** @type {() => any} */ action) => action() };
  const how = {
    entry: ENTRY,
    lock: lockOf(options),
    descriptors,
    spawn: spawnOptions,
    messages: true,
  };
  return startLocked({ ...how, request: { ...request, memoryMb: options.memoryMb ?? 0 } }, events);
}

/** @param {How} how @param {PoolOptions} options @param {Events} events */
function startProcess({ request, descriptors, execArgv }, { env, argv }, events) {
  const message = encode(KIND.message, { parentPid: process.pid, ...request });
  const [mine, theirs] = native().socketPair();
  const args = [...execArgv, ENTRY, ...(argv ?? []).map(String)];
  const child = spawn(process.execPath, args, {
    env: env === undefined || typeof env === 'symbol' ? process.env : env,
    stdio: ['ignore', 'inherit', 'pipe', theirs, ...descriptors],
  });
  native().closeDescriptor(theirs);
  const nothing = () => {};
  let resolveClosed = nothing;
  /** @type {Promise<void>} */
  const closed = new Promise((resolve) => (resolveClosed = resolve));
  const channel = new ChildChannel(
    mine,
    { maxBytes: LIMITS.workerMessageBytes.value },
    {
      started: nothing,
      message: nothing,
      report: nothing,
      failed: nothing,
      unreadable: () => void child.kill('SIGKILL'),
      ...events,
      closed: resolveClosed,
    },
  );
  child.once('error', () => channel.destroy());
  channel.sendRequest(message);
  return { child, channel, closed };
}
