/**
 * Workers that are forks of a zygote, which has loaded the pool's module and called its warm(). A fork starts within
 * milliseconds and shares all memory that it does not write to. Pools of the same module share one zygote. Where
 * Node.js runs hooks that a fork cannot copy, workers are ordinary processes.
 */
import { serialize } from 'node:v8';
import { endOfProcess, logStderr } from '../../engine/host/process-worker.js';
import { checkZygoteOptions } from '../../engine/zygote/options.js';
import { Zygote } from '../../engine/zygote/zygote.js';
import { checkRequirements, openShared } from '../host/shared-memory.js';
import { environmentOf, execArgvOf, lockOf, v8Flags } from '../host/spawn-options.js';
import { launch as launchProcess } from './process.js';

const ENTRY = new URL('../worker/zygote-entry.js', import.meta.url).href;

/** @typedef {import('../options.js').CheckedPoolOptions} PoolOptions */

/** The zygotes in use by what they were made from. @type {Map<string, {zygote: Zygote, pools: number}>} */
const zygotes = new Map();

/** @type {import('../host/kind.js').OpenKind} */
export function open(options, onRing) {
  checkRequirements(options);
  const shared = openShared(options, onRing);
  const { zygote, changes, release } = openZygote(options, shared);
  /**
   * Settles when the first worker is ready, and later when the last one runs. Forked one after the other, the first one
   * is ready sooner.
   * @type {Promise<unknown> | undefined}
   */
  let last;
  const begin = (/** @type {any} */ args, /** @type {any} */ forkOptions) => {
    const child = zygote.begin({ ...args, env: changes() }, forkOptions, last);
    /** @type {(() => void) | undefined} of the first worker */
    let onReady;
    if (last) last = child.started.catch(() => {});
    else {
      const ready = new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
        onReady = resolve;
      });
      last = Promise.race([ready, child.exited]);
    }
    return { child, onReady };
  };
  return {
    ...shared.kind,
    launch: (request) => shared.launch((link) => launch(request, options, link, begin)),
    async close() {
      await shared.kind.close();
      await release();
    },
  };
}

/** @param {PoolOptions} options @param {ReturnType<typeof openShared>} shared is closed if there can be no zygote */
function openZygote(options, shared) {
  try {
    return useZygote(options);
  } catch (error) {
    void shared.kind.close();
    throw error;
  }
}

/** Returns a zygote for the options, the same for equal ones. @param {PoolOptions} options */
function useZygote(options) {
  const { filename, locked, argv } = options;
  const execArgv = execArgvOf(options);
  // A module of others runs locked, so the zygote does not load it.
  const args = {
    filename: locked ? null : filename,
    workerData: options.workerData,
    argv: (argv ?? []).map(String),
    execArgv,
  };
  const settings = {
    name: 'pitv:pool',
    args,
    rehearse: false, // a worker lives long, and compiles what its tasks need
    ownSession: locked, // other workers and the program answer each other all the time
    flags: [...v8Flags(options), ...execArgv],
    env: { ...environmentOf(options) },
  };
  const key = serialize([settings, process.cwd()]).toString('latin1');
  const used = zygotes.get(key) ?? {
    zygote: new Zygote(ENTRY, checkZygoteOptions(settings)),
    pools: 0,
  };
  const { zygote } = used;
  if (used.pools++ === 0) zygote.on('failed', () => {}); // starts of workers report it
  zygotes.set(key, used);
  return {
    zygote,
    /** Lists what has changed in the environment since the zygote started. */
    changes: () => changesOf(settings.env, environmentOf(options)),
    async release() {
      if (--used.pools > 0) return;
      zygotes.delete(key);
      await zygote.close();
    },
  };
}

/**
 * @param {NodeJS.ProcessEnv} before @param {NodeJS.ProcessEnv} now
 * @returns {[name: string, value: string | undefined][]} undefined: the variable is gone
 */
function changesOf(before, now) {
  const present = { ...now }; // each look at process.env asks the C library
  return Object.keys({ ...before, ...present })
    .filter((name) => before[name] !== present[name])
    .map((name) => [name, present[name]]);
}

/**
 * @param {import('../host/kind.js').LaunchRequest} request
 * @param {PoolOptions} options
 * @param {import('../host/shared-memory.js').Link} given
 * @param {(args: any, options: any) => {child: ReturnType<Zygote['begin']>, onReady?: () => void}} begin
 * @returns {import('../host/kind.js').Launch}
 */
function launch(request, options, given, begin) {
  const { start, onMessage } = request;
  const { descriptors, outOfMemory, ...link } = given;
  const lock = options.locked ? lockOf(options) : undefined;
  const { child, onReady } = begin(
    { start, lock },
    {
      name: 'pitv:task',
      memoryMb: options.memoryMb,
      stdio: options.locked ? ['ignore', 'ignore', 'pipe'] : ['inherit', 'inherit', 'pipe'], // the zygote's stdin is /dev/null
      descriptors,
      endsWithZygote: Boolean(lock),
    },
  );
  child.unref();
  child.on('message', (message) => onMessage(message?.message));
  /** @type {Error | undefined} */
  let failure;
  /** @type {import('../host/kind.js').Launch | undefined} */
  let fallback;
  let killed = false;
  const started = child.started.catch((error) => {
    failure = error;
    if (error.cause?.code !== 'PITV_ZYGOTE_HOOKS' || killed) return;
    warnOnce(error.cause.message);
    fallback = launchProcess(request, options, given);
  });
  started.finally(() => fallback ?? link.closeChildEnds());
  const readStderr = logStderr(child, 'pitv:task', undefined, options.locked);
  const exited = child.exited.then((exit) => ({ ...exit, error: exit.error ?? failure }));
  const ended = started.then(
    () => fallback?.ended ?? endOfProcess(exited, readStderr, outOfMemory),
  );
  return {
    ...link,
    get pid() {
      return fallback?.pid ?? child.pid;
    },
    onReady,
    ended,
    kill() {
      killed = true;
      if (fallback) fallback.kill();
      else child.kill();
    },
    get handle() {
      return fallback?.handle ?? child;
    },
  };
}

/** @type {Set<string>} */
const warnings = new Set();

/** Warns that workers are processes. @param {string} why */
function warnOnce(why) {
  if (warnings.has(why)) return;
  warnings.add(why);
  process.emitWarning(`The workers of a pool are processes, not forks. ${why}`, {
    code: 'PITV_ZYGOTE_HOOKS',
  });
}
