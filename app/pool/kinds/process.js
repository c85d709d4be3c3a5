/**
 * Workers that are processes. Requests and results are in shared memory, which the process maps from an inherited
 * descriptor; the rest travels by a socket. A locked worker locks itself before it loads the module of its tasks.
 */
import { fileURLToPath } from 'node:url';
import { startProgram } from '../../engine/host/locked-process.js';
import { endOfProcess, logStderr } from '../../engine/host/process-worker.js';
import { checkRequirements, openShared } from '../host/shared-memory.js';
import { environmentOf, execArgvOf, lockOf, v8Flags } from '../host/spawn-options.js';

const ENTRY = fileURLToPath(new URL('../worker/process-entry.js', import.meta.url));

/** @typedef {import('../options.js').CheckedPoolOptions} PoolOptions */

/** @type {import('../host/kind.js').OpenKind} */
export function open(options, onRing) {
  checkRequirements(options);
  const shared = openShared(options, onRing);
  return {
    ...shared.kind,
    launch: (request) => shared.launch((link) => launch(request, options, link)),
  };
}

/**
 * Starts a worker.
 * @param {import('../host/kind.js').LaunchRequest} request
 * @param {PoolOptions} options
 * @param {import('../host/shared-memory.js').Link} given
 * @returns {import('../host/kind.js').Launch}
 */
export function launch({ start, onMessage }, options, given) {
  const { descriptors, outOfMemory, ...link } = given;
  const { locked, argv, memoryMb } = options;
  const execArgv = [...v8Flags(options), ...execArgvOf(options)];
  const started = startProgram(
    {
      entry: ENTRY,
      args: (argv ?? []).map(String),
      lock: locked ? lockOf(options) : undefined,
      request: { start, memoryMb: memoryMb ?? 0 },
      descriptors,
      spawn: { execArgv, env: {}, around: (spawn) => spawn() },
      env: environmentOf(options),
      messages: true,
    },
    { message: (/** @type {any} */ message) => onMessage(message?.message) },
  );
  const { child, channel } = started;
  link.closeChildEnds();
  const { kill } = child;
  child.kill = (signal = 'SIGKILL') => kill.call(child, signal); // it ignores SIGTERM, which its group may get
  child.unref();
  channel.socket.unref();
  /** @type {any} */ (child.stderr)?.unref?.();
  const readStderr = logStderr(child, 'pitv:task', undefined, locked);
  const ended = endOfProcess(started.exited, readStderr, outOfMemory);
  return {
    ...link,
    pid: child.pid ?? 0,
    ended,
    kill: () => void child.kill(),
    handle: child,
  };
}
